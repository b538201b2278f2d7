/* Time on the device: microseconds modulo 2^32, compared only here (SPEC 5). */
#ifndef BRIDGE_TIME_H
#define BRIDGE_TIME_H

#include <stdbool.h>
#include <stdint.h>

/** True if `a` lies before `b`; both within 2^31 us of each other. */
static inline bool bridge_is_before(uint32_t a, uint32_t b) {
#ifdef BRIDGE_IS_BEFORE
    return BRIDGE_IS_BEFORE(a, b);
#else
    return (int32_t)(a - b) < 0;
#endif
}

/** True if `due` has come at `now`. */
static inline bool bridge_is_due(uint32_t due, uint32_t now) { return !bridge_is_before(now, due); }

/** The later of two times. */
static inline uint32_t bridge_later(uint32_t a, uint32_t b) {
    return bridge_is_before(a, b) ? b : a;
}

#endif
