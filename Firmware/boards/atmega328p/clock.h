/*
 * The microsecond clock: Timer1 counts half microseconds, its overflow interrupt the rest. The
 * counter is always the low 15 bits of the time, doubled.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <avr/io.h>
#include <stdint.h>

/** Counts of Timer1 in a microsecond. */
#define CLOCK_COUNTS_PER_US 2

/** The counter's period in microseconds. */
#define CLOCK_PERIOD_US 0x8000u

/** Time at the counter's last overflow. Private to the clock. */
extern volatile uint32_t clock_period_start_us;

/** Starts at BRIDGE_CLOCK_AT_BOOT. */
void clock_start(void);

/** Now, in microseconds modulo 2^32. */
uint32_t clock_now(void);

/** The same, for interrupts. */
static inline uint32_t clock_read(void) {
    uint16_t count = TCNT1;
    uint32_t start_us = clock_period_start_us;
    if ((TIFR1 & _BV(TOV1)) && !(count & 0x8000)) {
        start_us += CLOCK_PERIOD_US; /* the overflow waits for its interrupt */
    }
    return start_us | count / CLOCK_COUNTS_PER_US;
}

/** The time at which the counter stood at `count`, less than 32 ms ago. */
uint32_t clock_of(uint16_t count);

/** The counter's value at a time. */
static inline uint16_t clock_count_at(uint32_t time_us) {
    return (uint16_t)((uint16_t)time_us * CLOCK_COUNTS_PER_US);
}

#endif
