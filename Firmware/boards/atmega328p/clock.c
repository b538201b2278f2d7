#include "clock.h"

#include <avr/io.h>

#include "../../core/bridge_atomic.h"
#include "../../core/bridge_outline.h"
#include "../../protocol/bridge_protocol.h"

#define PERIOD_US 0x8000u

/* Time at the counter's last overflow that was seen. */
static uint32_t period_start_us;

void clock_start(void) {
    uint32_t *start_us = BRIDGE_HELD(&period_start_us);
    *start_us = BRIDGE_CLOCK_AT_BOOT & ~(PERIOD_US - 1ul);
    TCNT1 = clock_count_at(BRIDGE_CLOCK_AT_BOOT);
    TIMSK1 = _BV(OCIE1A) | _BV(OCIE1B); /* an alarm that nobody set does no harm */
    TCCR1B = _BV(CS11);                 /* a count for every 8 cycles */
}

uint32_t clock_now(void) {
    uint32_t now_us;
    uint32_t *start_us = BRIDGE_HELD(&period_start_us);
    BRIDGE_ATOMIC_BEGIN
    uint16_t count = TCNT1;
    if ((TIFR1 & _BV(TOV1)) && !(count & 0x8000)) {
        TIFR1 = _BV(TOV1);
        *start_us += PERIOD_US;
    }
    now_us = *start_us + count / CLOCK_COUNTS_PER_US;
    BRIDGE_ATOMIC_END
    return now_us;
}

uint32_t clock_of(uint16_t count) {
    uint32_t now_us = clock_now();
    return now_us - (uint16_t)(clock_count_at(now_us) - count) / CLOCK_COUNTS_PER_US;
}
