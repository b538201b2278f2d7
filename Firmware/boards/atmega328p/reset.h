/*
 * The cause of the last reset, and the memory that a reset does not clear.
 *
 * The boot loader of Uno and Nano, optiboot, clears MCUSR before it starts a program. Therefore,
 * the cause is determined with a mark in memory that survives a reset but not a loss of power.
 */
#ifndef RESET_H
#define RESET_H

#include <stdint.h>

/** Determines and returns the cause of the last reset (enum bridge_reset_cause). Must be called
    once, before all other functions. */
uint8_t reset_cause(void);

/** Returns the number of boots since power was applied, including this one. */
uint16_t reset_count(void);

/** Records the cause of an imminent reset. */
void reset_expect(uint8_t cause);

/** Passes the heat that the actuators had before the reset to the core. */
void reset_load_heat(void);

/** Stores the heat of the actuators in memory that only a loss of power clears. Must be called
    every few milliseconds. */
void reset_keep_heat(void);

#endif
