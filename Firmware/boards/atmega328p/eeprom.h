/*
 * The EEPROM, which holds the board's id, and two slots each for the configuration and the lock of
 * each actuator. An interrupted save leaves one of the two slots valid.
 */
#ifndef STORAGE_H
#define STORAGE_H

#include <stdint.h>

/** Loads the board's id, and the stored configurations and locks, into the core. */
void eeprom_load(void);

/** Erases the locks of all actuators. Called before eeprom_load. */
void eeprom_unlock(void);

/** Continues a save, one byte per call. */
void eeprom_poll(void);

#endif
