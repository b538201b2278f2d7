/* Ticks of a stream on the device clock (SPEC 5): exact, however far and often re-anchored. */
#ifndef BRIDGE_TICK_CLOCK_H
#define BRIDGE_TICK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"

struct tick_clock {
    uint64_t anchor; /**< due time of `anchor_tick` in 2^-24 us; its low 56 bits count */
    uint32_t anchor_tick;
    uint32_t scale; /**< us per tick, 8.24 fixed point */
    uint32_t scale_next;
    uint32_t scale_tick; /**< from this tick on `scale_next` holds, while `scale_waits` */
    bool scale_waits;
};

/** Tick 0 lies at `time_us`; the scale stays, a waiting one is forgotten. */
void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us);

/** A new scale from `tick` on, which keeps its due time. */
void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale);

/** Ticks up to this one have been executed: the anchor moves there, exactly, and a scale that
   waited for it is taken up. */
void tick_clock_pass(struct tick_clock *clock, uint32_t tick);

/** When a tick is due; it must not lie before one that has been passed. */
uint32_t tick_clock_due_us(const struct tick_clock *clock, uint32_t tick);

/** The tick at a time within 2^31 us of the anchor, rounded down; 0 before tick 0. */
uint32_t tick_clock_tick_at(const struct tick_clock *clock, uint32_t time_us);

#endif
