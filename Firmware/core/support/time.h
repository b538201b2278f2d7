/* Times on the device are microseconds modulo 2^32, and are compared only with these functions
   (SPEC 5). */
#ifndef BRIDGE_TIME_H
#define BRIDGE_TIME_H

#include <stdbool.h>
#include <stdint.h>

/** True if `a` is before `b`. The two times must be within 2^31 us of each other. */
static inline bool bridge_is_before(uint32_t a, uint32_t b) {
#ifdef BRIDGE_IS_BEFORE /* a port may define a faster comparison */
    return BRIDGE_IS_BEFORE(a, b);
#else
    return (int32_t)(a - b) < 0;
#endif
}

/** True if `now` has reached the time `due`. */
static inline bool bridge_is_due(uint32_t due, uint32_t now) { return !bridge_is_before(now, due); }

/** Returns the later of two times. */
static inline uint32_t bridge_later(uint32_t a, uint32_t b) {
    return bridge_is_before(a, b) ? b : a;
}

/** Converts a time to counts of 256 us modulo 2^16, for the driver and the thermal budget, which
    need only a resolution of about a millisecond. The union reads the two middle bytes in memory,
    because a shift of 32 bits is a loop on an AVR. */
static inline uint16_t bridge_time_counts(uint32_t now_us) {
    union {
        uint32_t us;
        struct __attribute__((packed)) {
            uint8_t low;
            uint16_t counts;
        } parts;
    } time = {.us = now_us};
    return time.parts.counts;
}

#endif
