#include "ramp.h"

#include "../../protocol/bridge_protocol.h"
#include "../support/time.h"

/* Returns the value of a ramp. The distance from the lower end is range x elapsed time / total
   time. The function multiplies and divides at the same time, bit by bit from the most significant
   bit, so that no term exceeds 3 x total time. Rising and falling ramps are rounded in the same
   way. */
uint8_t ramp_value(const struct ramp *ramp, uint32_t at_us) {
    if (!ramp->is_moving) {
        return ramp->to;
    }
    uint32_t part = ramp->end_us - at_us;
    if ((int32_t)part <= 0) {
        return ramp->to;
    }
    uint32_t whole = ramp->end_us - ramp->start_us;
    if (part >= whole) {
        return ramp->from;
    }
    uint8_t value = ramp->to;
    uint8_t way = (uint8_t)(ramp->from - value);
    if (ramp->from < value) {
        value = ramp->from;
        way = (uint8_t)(-way);
        part = whole - part;
    }
    uint32_t rest = 0;
    uint8_t quotient = 0;
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        rest <<= 1;
        quotient = (uint8_t)(quotient << 1);
        if (way & bit) {
            rest += part;
        }
        while (rest >= whole) {
            rest -= whole;
            quotient++;
        }
    }
    return (uint8_t)(value + quotient + (rest << 1 >= whole));
}

void ramp_begin(struct ramp *ramp, uint8_t to, uint32_t start_us, uint32_t end_us) {
    ramp->from = ramp_value(ramp, start_us);
    ramp->to = to;
    ramp->is_moving = true;
    ramp->start_us = start_us;
    ramp->end_us = end_us;
}

/* Marks a ramp that ended long ago. Comparing only the highest bytes of the times is sufficient,
   because a ramp ends at most 2^29 us after the current time. */
void ramp_age(struct ramp *ramp, uint32_t now_us) {
    uint8_t age = (uint8_t)((uint8_t)(now_us >> 24) - (uint8_t)(ramp->end_us >> 24));
    if ((int8_t)age > 0x20) {
        ramp->is_moving = false;
    }
}
