// The watchdog timer, and the register of reset causes (datasheet section 11).
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include "mcu.h"
#include "schedule.h"

struct watchdog {
    struct mcu *mcu;
    struct schedule *schedule;
    struct event time_out;
    uint64_t cleared_at;   // the cycle of the last WDR
    uint64_t change_until; // the cycle until which WDCE reads as 1
    bool wants_reset;      // the function that requests a reset from the board
};

void watchdog_init(struct watchdog *watchdog, struct mcu *mcu, struct schedule *schedule);

// Sets the reset values. This function must be called after mcu_reset. The argument `causes`
// contains the bits of MCUSR. If the watchdog caused the reset, it keeps running.
void watchdog_reset(struct watchdog *watchdog, uint8_t causes);
void watchdog_power_off(struct watchdog *watchdog);

#endif
