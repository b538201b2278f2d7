/* Resets: their cause, what outlives them, the watchdog that makes them, and the boot loader. */
#ifndef RESET_H
#define RESET_H

#include <stdint.h>

/** Finds out the cause of the reset, counts it, and starts the watchdog. */
void reset_start(void);

/** The cause of the reset: enum bridge_reset_cause. */
uint8_t reset_cause(void);

/** The number of boots since power was applied, including this one. */
uint16_t reset_count(void);

#endif
