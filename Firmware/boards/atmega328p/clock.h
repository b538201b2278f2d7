/*
 * The microsecond clock: Timer1 counts half microseconds, and clock_now its overflows. The counter
 * is always the low 15 bits of the time, doubled.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/** Counts of Timer1 in a microsecond. */
#define CLOCK_COUNTS_PER_US 2

/** Starts at BRIDGE_CLOCK_AT_BOOT. */
void clock_start(void);

/** Now, in microseconds modulo 2^32. The clock goes right if somebody asks within each 16 ms. */
uint32_t clock_now(void);

/** The time at which the counter stood at `count`, less than 32 ms ago. */
uint32_t clock_of(uint16_t count);

/** The counter's value at a time. */
static inline uint16_t clock_count_at(uint32_t time_us) {
    return (uint16_t)((uint16_t)time_us * CLOCK_COUNTS_PER_US);
}

#endif
