/*
 * The cause of the last reset, and the memory that a reset leaves alone.
 *
 * The cause is found by a mark in memory that survives a reset but not a loss of power, because
 * optiboot, the bootloader of Uno and Nano, clears MCUSR before it starts a program.
 */
#ifndef RESET_H
#define RESET_H

#include <stdint.h>

/** Finds out the cause of the last reset (enum bridge_reset_cause); called once, first of all. */
uint8_t reset_cause(void);

/** The number of boots since power was applied, this one included. */
uint16_t reset_count(void);

/** Notes the cause of a reset that is about to happen. */
void reset_expect(uint8_t cause);

/** Gives the core the heat that its actuators had before a reset. */
void reset_load_heat(void);

/** Keeps the heat of the actuators, in memory that only a loss of power clears; called every few
    milliseconds. */
void reset_keep_heat(void);

#endif
