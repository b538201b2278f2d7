/*
 * The EEPROM, which contains the board's id, and for each actuator two slots for the configuration
 * and two slots for the lock. After an interrupted save, one of the two slots is still valid.
 */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdint.h>

/** Loads the board's id, and the stored configurations and locks, into the core. */
void eeprom_load(void);

/** Erases the locks of all actuators. Must be called before eeprom_load. */
void eeprom_unlock(void);

/** Continues a save, one byte per call. */
void eeprom_poll(void);

#endif
