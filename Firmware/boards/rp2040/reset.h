/* Resets: their cause, what outlives them, the watchdog that makes them, and the boot loader. */
#ifndef RESET_H
#define RESET_H

#include <stdint.h>

/** Finds out the cause of the reset, counts it, and starts the watchdog. */
void reset_start(void);

/** Starts the boot loader of the ROM. All pins have their state of reset in it. */
__attribute__((noreturn)) void reset_to_boot_loader(void);

/** The cause of the reset: enum bridge_reset_cause. */
uint8_t reset_cause(void);

/** The number of boots since power was applied, including this one. */
uint16_t reset_count(void);

#endif
