#include "ramp.h"

#include "../protocol/bridge_protocol.h"
#include "bridge_time.h"

/* Below this, 255 times a time fits 32 bits, which an 8-bit controller divides much faster. */
#define SHORT_SPAN_US (1ul << 23)

static uint8_t moved(uint8_t distance, uint32_t part, uint32_t whole, uint32_t rounding) {
    if (whole < SHORT_SPAN_US) {
        return (uint8_t)((distance * part + rounding) / whole);
    }
    return (uint8_t)(((uint64_t)distance * part + rounding) / whole);
}

uint8_t ramp_value(const struct ramp *ramp, uint32_t at_us) {
    if (bridge_is_due(ramp->end_us, at_us)) {
        return ramp->to;
    }
    if (bridge_is_before(at_us, ramp->start_us)) {
        return ramp->from;
    }
    uint32_t part = at_us - ramp->start_us;
    uint32_t whole = ramp->end_us - ramp->start_us;
    if (ramp->to >= ramp->from) {
        uint8_t distance = (uint8_t)(ramp->to - ramp->from);
        return (uint8_t)(ramp->from + moved(distance, part, whole, whole / 2));
    }
    uint8_t distance = (uint8_t)(ramp->from - ramp->to);
    return (uint8_t)(ramp->from - moved(distance, part, whole, (whole - 1) / 2));
}

void ramp_begin(struct ramp *ramp, uint8_t to, uint32_t start_us, uint32_t end_us) {
    ramp->from = ramp_value(ramp, start_us);
    ramp->to = to;
    ramp->start_us = start_us;
    ramp->end_us = end_us;
}

void ramp_age(struct ramp *ramp, uint32_t now_us) {
    uint32_t oldest_us = now_us - BRIDGE_TIME_SPAN_US / 2;
    if (bridge_is_before(ramp->end_us, oldest_us)) {
        ramp_jump(ramp, ramp->to, oldest_us);
    }
}

void ramp_jump(struct ramp *ramp, uint8_t to, uint32_t at_us) {
    *ramp = (struct ramp){.start_us = at_us, .end_us = at_us, .from = to, .to = to};
}
