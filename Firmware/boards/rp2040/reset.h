/* The functions for resets: their cause, the memory that survives them, the watchdog, and the boot
   loader. */
#ifndef RESET_H
#define RESET_H

#include <stdint.h>

/** Determines the cause of the reset, counts the boot, and starts the watchdog. */
void reset_start(void);

/** Starts the boot loader in the ROM. All pins are then in their reset state. */
__attribute__((noreturn)) void reset_to_boot_loader(void);

/** Returns the cause of the reset (enum bridge_reset_cause). */
uint8_t reset_cause(void);

/** Returns the number of boots since power was applied, including this one. */
uint16_t reset_count(void);

#endif
