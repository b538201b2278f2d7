/*
 * The EEPROM, which holds the board's id, and the configuration and the lock of each actuator in
 * two slots each. The newer valid slot counts, so that an interrupted save loses nothing.
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
