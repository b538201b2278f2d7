#include "timer.h"

#include <avr/io.h>

#include "board.h"

#define PERIOD_US 0x8000u

/* The time of the last overflow of the counter that timer_now has detected. */
static uint32_t period_start_us;

void timer_start(void) {
    period_start_us = BRIDGE_CLOCK_AT_BOOT & ~(PERIOD_US - 1ul);
    TCNT1 = timer_count_at(BRIDGE_CLOCK_AT_BOOT);
    TIMSK1 = _BV(OCIE1A) | _BV(OCIE1B); /* an interrupt has no effect if no alarm is set */
    TCCR1B = _BV(CS11);                 /* one count per 8 cycles */
}

uint32_t timer_now(void) {
    uint32_t now_us;
    uint32_t *start_us = BRIDGE_OPTIMIZER_HIDE(&period_start_us);
    BRIDGE_CRITICAL_ENTER
    uint16_t count = TCNT1;
    if ((TIFR1 & _BV(TOV1)) && !(count & 0x8000)) {
        TIFR1 = _BV(TOV1);
        *start_us += PERIOD_US;
    }
    now_us = *start_us + count / TIMER_COUNTS_PER_US;
    BRIDGE_CRITICAL_EXIT
    return now_us;
}

uint32_t timer_time_at(uint16_t count) {
    uint32_t now_us = timer_now();
    return now_us - (uint16_t)(timer_count_at(now_us) - count) / TIMER_COUNTS_PER_US;
}
