/*
 * What the EEPROM keeps: the board's id, and the configuration and the lock of each actuator, each
 * in two places of which the newer good one counts, so that a save cut short loses nothing.
 */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdint.h>

/** Gives the bridge the board's id, and the configurations and locks that are stored. */
void storage_load(void);

/** Erases the locks of all actuators, before storage_load. */
void storage_unlock(void);

/** Goes on with a save, one byte at a time. */
void storage_poll(void);

#endif
