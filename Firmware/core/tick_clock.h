/* Ticks of a stream on the device clock (SPEC 5): exact, however far and often the clock moves. */
#ifndef BRIDGE_TICK_CLOCK_H
#define BRIDGE_TICK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"

struct tick_clock {
    uint32_t part; /**< the clock stands at `us` and this many 2^-32 us; one number of 64 bits */
    uint32_t us;
    uint32_t tick;  /**< the tick that is due there */
    uint32_t scale; /**< us per tick, 8.24 fixed point */
    uint32_t scale_next;
    uint32_t scale_tick; /**< from this tick on `scale_next` holds, while `scale_waits` */
    bool scale_waits;
};

/** Tick 0 lies at `time_us`; the scale stays, a waiting one is forgotten. */
void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us);

/** A new scale from `tick` on, which keeps its due time; from where the clock stands at least. */
void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale);

/** Moves on to a tick, exactly, and takes up a scale that waited on the way. */
void tick_clock_move(struct tick_clock *clock, uint32_t tick);

/** When a tick is due that does not lie behind the clock. */
uint32_t tick_clock_due_us(const struct tick_clock *clock, uint32_t tick);

/** The newest tick due at a time within 2^31 us of where the clock stands, by the present scale; 0
   before tick 0. */
uint32_t tick_clock_tick_at(const struct tick_clock *clock, uint32_t time_us);

#endif
