// The watchdog, its tick and its scratch registers (datasheet 4.7).
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include "../common/schedule.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_SCRATCHES 8u
#define WATCHDOG_REASON_TIMER 1u
#define WATCHDOG_REASON_FORCE 2u

struct machine;

struct watchdog {
    struct machine *machine;
    bool is_enabled;
    uint32_t pauses;    // the bits of CTRL that affect only a debugger
    uint32_t load;      // the count at `loaded_at`
    uint64_t loaded_at; // a number of ticks since `tick_since`
    uint64_t tick_since;
    uint32_t reason;
    uint32_t tick; // TICK: CYCLES, ENABLE
    uint32_t scratch[WATCHDOG_SCRATCHES];
    struct event time_out;
};

void watchdog_init(struct watchdog *watchdog, struct machine *machine);

// Resets the watchdog. A reset by the watchdog keeps the scratch registers, and sets `reason`. A
// reset by power or the RUN pin clears the scratch registers and `reason`.
void watchdog_reset_by_itself(struct watchdog *watchdog, uint32_t reason);
void watchdog_reset(struct watchdog *watchdog);

// Uses the watchdog to restart the chip, as the boot ROM does, with the arguments in the scratch
// registers.
void watchdog_start_by_rom(struct watchdog *watchdog, uint32_t first, uint32_t second);

// Returns the number of cycles in a tick, or 0 if there is no tick. TIMER counts the ticks.
uint32_t watchdog_tick_period(const struct watchdog *watchdog);

#endif
