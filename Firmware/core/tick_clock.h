/* Ticks of a stream on the device clock (SPEC 5): exact, however far and often the clock moves. */
#ifndef BRIDGE_TICK_CLOCK_H
#define BRIDGE_TICK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"

/** `us` and `part` times 2^-32 us: one number of 64 bits. */
struct moment {
    uint32_t part;
    uint32_t us;
};

struct tick_clock {
    uint32_t tick;  /**< where the clock stands */
    uint32_t scale; /**< us per tick, 8.24 fixed point */
    uint32_t scale_next;
    uint32_t scale_tick; /**< not behind; from it on `scale_next` holds, while `scale_waits` */
    bool scale_waits;
    struct moment stands; /**< when `tick` is due */
    struct moment asked;  /**< when the tick is due that was asked for last */
};

/** Tick 0 lies at `time_us`; the scale stays, a waiting one is forgotten. */
void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us);

/** A new scale from `tick` on, which keeps its due time; from where the clock stands at least. */
void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale);

/** When a tick is due that does not lie behind the clock, nor more than BRIDGE_TICKS_MAX ahead. */
uint32_t tick_clock_due_us(struct tick_clock *clock, uint32_t tick);

/** Moves on to `tick`, the one asked for last, and takes up a scale that waited on the way. */
void tick_clock_move(struct tick_clock *clock, uint32_t tick);

#endif
