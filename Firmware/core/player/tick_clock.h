/* A clock that converts the ticks of a stream to device time (SPEC 5). The conversion is exact,
   regardless of how often and how far the clock advances. */
#ifndef BRIDGE_TICK_CLOCK_H
#define BRIDGE_TICK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../../protocol/bridge_protocol.h"

/** A 64-bit time: `us` microseconds plus `part` times 2^-32 us. */
struct moment {
    uint32_t part;
    uint32_t us;
};

struct tick_clock {
    uint32_t tick;  /**< the current tick of the clock */
    uint32_t scale; /**< us per tick, 8.24 fixed point */
    uint32_t scale_next;
    uint32_t scale_tick; /**< the current or future tick at which `scale_next` takes effect */
    bool scale_waits;
    struct moment anchor; /**< the time at which `tick` is due */
    struct moment asked;  /**< the result of the last tick_clock_due_us */
};

/** Sets the time of tick 0. The scale is unchanged; a pending scale is discarded. */
void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us);

/** Sets a scale that takes effect at `tick`, or at the current tick if the current tick is later.
    The due time of the tick at which the scale takes effect does not change. */
void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale);

/** Returns the time at which a tick is due. The tick must lie between the current tick and
    BRIDGE_TICKS_MAX ticks after it. */
uint32_t tick_clock_due_us(struct tick_clock *clock, uint32_t tick);

/** Advances to `tick`, which must be the argument of the last tick_clock_due_us. A pending scale
    takes effect if its tick has been reached. */
void tick_clock_move(struct tick_clock *clock, uint32_t tick);

#endif
