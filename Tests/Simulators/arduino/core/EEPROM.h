// EEPROM: the memory of sketch-board that is written cell by cell.
#ifndef EEPROM_H
#define EEPROM_H

#include "Arduino.h"

struct EEPROMClass {
    uint16_t length() { return API_CELLS; }
    uint8_t read(int address) { return api_cell((uint16_t)address); }
    void update(int address, uint8_t value) {
        if (read(address) != value) {
            api_write_cell((uint16_t)address, value);
        }
    }
};

static EEPROMClass EEPROM;

#endif
