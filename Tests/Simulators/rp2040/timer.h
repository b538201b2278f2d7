// TIMER: a 64-bit counter of microseconds, and four alarms (datasheet 4.6).
#ifndef TIMER_H
#define TIMER_H

#include "../common/schedule.h"

#include <stdbool.h>
#include <stdint.h>

#define TIMER_ALARMS 4u

struct machine;
struct timer;

struct timer_alarm {
    struct timer *timer;
    uint32_t time; // ALARMn
    struct event match;
};

struct timer {
    struct machine *machine;
    uint32_t tick_period; // the length of a tick in cycles; 0 if there is no tick
    uint64_t tick_since;
    // The time minus the number of ticks since `tick_since`.
    uint64_t offset;
    bool is_paused; // if true, the time is `paused_at`
    uint64_t paused_at;
    uint32_t written_low;  // TIMELW
    uint32_t latched_high; // TIMEHR
    uint32_t armed;
    uint32_t raised;  // INTR
    uint32_t enabled; // INTE
    uint32_t forced;  // INTF
    struct timer_alarm alarms[TIMER_ALARMS];
};

void timer_init(struct timer *timer, struct machine *machine);

// Updates the timer after the tick of the watchdog has changed.
void timer_set_tick(struct timer *timer, uint32_t period);

#endif
