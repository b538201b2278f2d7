// The EEPROM (datasheet section 8.4): 1,024 bytes that survive a loss of power and, if they are
// stored in a file, the end of the simulator.
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
    const char *path; // NULL if there is no file
    uint8_t cells[EEPROM_SIZE];
    struct misreading misreading;
    bool worn[EEPROM_SIZE];  // worn cells, which keep their value when they are written
    struct event programmed; // scheduled while EEPE is set
    uint16_t address;        // the operation in progress
    uint8_t value;
    uint64_t enabled_until; // EEMPE reads 1 until this cycle
};

// Sets the cells to the contents of the file or, if there is no file, to 0xFF. Returns false, and
// prints the reason on standard error, if the file cannot be read.
bool eeprom_init(struct eeprom *eeprom, struct mcu *mcu, struct schedule *schedule,
                 const struct trace *trace, const char *path);

// Sets the reset values. This function must be called after mcu_reset. Programming of a byte
// continues to its end, because the power is on (8.4.2).
void eeprom_reset(struct eeprom *eeprom);

// Cuts the power. If a byte is being programmed, its cell remains erased.
void eeprom_power_off(struct eeprom *eeprom);

#endif
