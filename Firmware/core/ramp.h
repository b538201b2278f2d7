/* A value moving linearly in time. */
#ifndef BRIDGE_RAMP_H
#define BRIDGE_RAMP_H

#include <stdbool.h>
#include <stdint.h>

/** From `from` at `start_us` to `to` at `end_us`; after that, or if it does not move, it holds
   `to`. Spans stay below 2^30 us. */
struct ramp {
    uint8_t to;
    bool is_moving;
    uint8_t from;
    uint32_t start_us;
    uint32_t end_us;
};

/** The value at a time, rounded half up; before the start it is `from`. */
uint8_t ramp_value(const struct ramp *ramp, uint32_t at_us);

/** Holds a value from now on. */
static inline void ramp_jump(struct ramp *ramp, uint8_t to) {
    ramp->to = to;
    ramp->is_moving = false;
}

/** Moves on from the value that the ramp has at `start_us`. */
void ramp_begin(struct ramp *ramp, uint8_t to, uint32_t start_us, uint32_t end_us);

/** To be called now and then, that a ramp that ended long ago is not taken for one to come. */
void ramp_age(struct ramp *ramp, uint32_t now_us);

#endif
