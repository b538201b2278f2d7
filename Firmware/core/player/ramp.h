/* A value that changes linearly in time. */
#ifndef BRIDGE_RAMP_H
#define BRIDGE_RAMP_H

#include <stdbool.h>
#include <stdint.h>

/** A ramp from the value `from` at `start_us` to the value `to` at `end_us`. After `end_us`, or if
   the ramp is not moving, the value is `to`. A ramp takes less than 2^30 us. */
struct ramp {
    uint8_t to;
    bool is_moving;
    uint8_t from;
    uint32_t start_us;
    uint32_t end_us;
};

/** Returns the value at a given time, rounded half up; before the start, the value is `from`. */
uint8_t ramp_value(const struct ramp *ramp, uint32_t at_us);

/** Sets a constant value. */
static inline void ramp_jump(struct ramp *ramp, uint8_t to) {
    ramp->to = to;
    ramp->is_moving = false;
}

/** Starts a ramp from the value that the previous ramp has at `start_us`. */
void ramp_begin(struct ramp *ramp, uint8_t to, uint32_t start_us, uint32_t end_us);

/** Marks a ramp that ended long ago, because its times would appear to be in the future once the
    clock has wrapped. Called repeatedly. */
void ramp_age(struct ramp *ramp, uint32_t now_us);

#endif
