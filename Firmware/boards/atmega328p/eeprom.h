/*
 * The EEPROM: the board's id, and the configuration and the lock of each actuator, each of them in
 * two places of which the newer good one counts, so that a save that is cut short loses nothing.
 */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdint.h>

/** Gives the core the board's id, and the configurations and locks that are stored. */
void eeprom_load(void);

/** Erases the locks of all actuators, before eeprom_load. */
void eeprom_unlock(void);

/** Continues a save, one byte a call. */
void eeprom_poll(void);

#endif
