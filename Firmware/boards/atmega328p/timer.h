/*
 * The microsecond clock. Timer1 counts half microseconds, and timer_now counts its overflows. The
 * value of the counter is always twice the low 15 bits of the time.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/** The number of counts of Timer1 per microsecond. */
#define TIMER_COUNTS_PER_US 2

/** Starts the clock at BRIDGE_CLOCK_AT_BOOT. */
void timer_start(void);

/** Returns the current time in microseconds modulo 2^32. Must be called at least every 16 ms. */
uint32_t timer_now(void);

/** Returns the time at which the counter last had the value `count`, which must be less than 32 ms
    ago. */
uint32_t timer_time_at(uint16_t count);

/** Returns the value that the counter has at a given time. */
static inline uint16_t timer_count_at(uint32_t time_us) {
    return (uint16_t)((uint16_t)time_us * TIMER_COUNTS_PER_US);
}

#endif
