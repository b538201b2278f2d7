#include "clock.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "../../core/bridge_atomic.h"
#include "../../protocol/bridge_protocol.h"

volatile uint32_t clock_period_start_us = BRIDGE_CLOCK_AT_BOOT & ~(CLOCK_PERIOD_US - 1ul);

ISR(TIMER1_OVF_vect) { clock_period_start_us += CLOCK_PERIOD_US; }

void clock_start(void) {
    TCNT1 = clock_count_at(BRIDGE_CLOCK_AT_BOOT);
    TIMSK1 = _BV(TOIE1) | _BV(OCIE1A) | _BV(OCIE1B); /* an alarm that nobody set does no harm */
    TCCR1B = _BV(CS11);                              /* a count for every 8 cycles */
}

uint32_t clock_now(void) {
    uint32_t now_us;
    BRIDGE_ATOMIC_BEGIN
    now_us = clock_read();
    BRIDGE_ATOMIC_END
    return now_us;
}

uint32_t clock_of(uint16_t count) {
    uint32_t now_us = clock_now();
    return now_us - (uint16_t)(clock_count_at(now_us) - count) / CLOCK_COUNTS_PER_US;
}
