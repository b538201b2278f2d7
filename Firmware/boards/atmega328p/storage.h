/*
 * What the EEPROM keeps: the board's id, and the configuration of each actuator in two places of
 * which the newer good one counts, so that a save cut short loses nothing.
 */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdint.h>

/** Gives the bridge the board's id, and the configurations that are stored. */
void storage_load(void);

/** Goes on with a save, one byte at a time. */
void storage_poll(void);

#endif
