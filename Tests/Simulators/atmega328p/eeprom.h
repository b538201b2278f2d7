// The EEPROM (datasheet section 8.4): 1,024 bytes that outlive power, and the program if they have
// a file.
#ifndef EEPROM_H
#define EEPROM_H

#include "mcu.h"
#include "misreading.h"
#include "schedule.h"
#include "trace.h"

struct eeprom {
    struct mcu *mcu;
    struct schedule *schedule;
    const struct trace *trace;
    const char *path; // NULL: no file
    uint8_t cells[EEPROM_SIZE];
    struct misreading misreading;
    bool worn[EEPROM_SIZE];  // cells that stay as they are, whatever is written
    struct event programmed; // due while EEPE is set
    uint16_t address;        // what is being programmed
    uint8_t value;
    uint64_t enabled_until; // EEMPE reads 1 until this cycle
};

// The cells are what the file holds, if there is one, else 0xFF. Returns false, and says why on
// standard error, if the file can not be read.
bool eeprom_init(struct eeprom *eeprom, struct mcu *mcu, struct schedule *schedule,
                 const struct trace *trace, const char *path);

// Reset values, after mcu_reset. A byte that is being programmed gets finished: there is power
// (8.4.2).
void eeprom_reset(struct eeprom *eeprom);

// A byte that is being programmed stays erased.
void eeprom_power_off(struct eeprom *eeprom);

#endif
