#include "tick_clock.h"

void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us) {
    clock->anchor = (uint64_t)time_us << BRIDGE_SCALE_FRACTION_BITS;
    clock->anchor_tick = 0;
    clock->scale_waits = false;
}

void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale) {
    clock->scale_tick = tick;
    clock->scale_next = scale;
    clock->scale_waits = true;
}

static uint64_t anchored(const struct tick_clock *clock, uint32_t tick) {
    return clock->anchor + (uint64_t)(tick - clock->anchor_tick) * clock->scale;
}

static void anchor_at(struct tick_clock *clock, uint32_t tick) {
    clock->anchor = anchored(clock, tick);
    clock->anchor_tick = tick;
}

/* The anchor follows, so that it stays near enough to tell the past from the future. */
void tick_clock_pass(struct tick_clock *clock, uint32_t tick) {
    if (clock->scale_waits && tick >= clock->scale_tick) {
        anchor_at(clock, clock->scale_tick);
        clock->scale = clock->scale_next;
        clock->scale_waits = false;
    }
    anchor_at(clock, tick);
}

static uint64_t due(const struct tick_clock *clock, uint32_t tick) {
    if (!clock->scale_waits || tick <= clock->scale_tick) {
        return anchored(clock, tick);
    }
    return anchored(clock, clock->scale_tick) +
           (uint64_t)(tick - clock->scale_tick) * clock->scale_next;
}

uint32_t tick_clock_due_us(const struct tick_clock *clock, uint32_t tick) {
    return (uint32_t)(due(clock, tick) >> BRIDGE_SCALE_FRACTION_BITS);
}

uint32_t tick_clock_tick_at(const struct tick_clock *clock, uint32_t time_us) {
    uint64_t passed = (((uint64_t)time_us << BRIDGE_SCALE_FRACTION_BITS) - clock->anchor) << 8;
    if (!(passed >> 63)) {
        return clock->anchor_tick + (uint32_t)((passed >> 8) / clock->scale);
    }
    uint64_t back = ((0 - passed) >> 8) + clock->scale - 1;
    uint32_t ticks = (uint32_t)(back / clock->scale);
    return ticks < clock->anchor_tick ? clock->anchor_tick - ticks : 0;
}
