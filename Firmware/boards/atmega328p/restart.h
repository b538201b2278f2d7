/*
 * Why the controller was reset, and the watchdog that resets it.
 *
 * The cause is told by a mark in memory that survives a reset but not a loss of power: optiboot,
 * the bootloader of Uno and Nano, clears MCUSR before it starts a program.
 */
#ifndef RESTART_H
#define RESTART_H

#include <stdint.h>

/** Finds out the cause (enum bridge_reset_cause), once, first of all. */
uint8_t restart_cause(void);

/** Boots since power was applied, this one included. */
uint16_t restart_count(void);

/** Gives the bridge what its actuators had borne before a reset. */
void restart_load_heat(void);

/** Keeps what they have borne, in memory that only a loss of power clears. To be called every few
    milliseconds. */
void restart_keep_heat(void);

/** Starts the watchdog: 250 ms without restart_alive, and the driver is off; a reset follows after
    as much again. */
void restart_watch(void);

/** The main loop has come round. */
void restart_alive(void);

#endif
