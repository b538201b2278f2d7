// The watchdog timer, and the register of reset causes (datasheet section 11).
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include "mcu.h"
#include "schedule.h"

struct watchdog {
    struct mcu *mcu;
    struct schedule *schedule;
    struct event time_out;
    uint64_t cleared_at;   // cycle of the last WDR
    uint64_t change_until; // WDCE reads 1 until this cycle
    bool wants_reset;      // the board's to grant
};

void watchdog_init(struct watchdog *watchdog, struct mcu *mcu, struct schedule *schedule);

// After mcu_reset: `causes` are the bits of MCUSR. The watchdog keeps running if it was the cause.
void watchdog_reset(struct watchdog *watchdog, uint8_t causes);
void watchdog_power_off(struct watchdog *watchdog);

#endif
