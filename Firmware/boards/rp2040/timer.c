/* The microsecond clock and its alarms. The hardware is TIMER, which counts the watchdog's ticks
   (4.6). */
#include "../../core/support/time.h"
#include "../common/port.h"
#include "board.h"
#include "interrupts.h"
#include "rp2040.h"

#define ALARM (1u << TIMER_IRQ_0)
#define BEAT (1u << TIMER_IRQ_1)

/* The maximum sleep when there is no work. */
#define BEAT_US 250

static volatile bool has_beaten;

void timer_start(void) {
    resets_cycle(RESETS_TIMER);
    TIMER_INTE = ALARM | BEAT;
    TIMER_ALARM1 = TIMER_TIMERAWL + BEAT_US;
    NVIC_IPR0 = NVIC_PRIORITY(TIMER_IRQ_0, 0) | NVIC_PRIORITY(TIMER_IRQ_1, 3);
    NVIC_ISER = 1u << TIMER_IRQ_0 | 1u << TIMER_IRQ_1;
}

/* Returns the time. The counter starts at 0, but the time of the core starts at
   BRIDGE_CLOCK_AT_BOOT. */
uint32_t board_now_us(void) { return TIMER_TIMERAWL + BRIDGE_CLOCK_AT_BOOT; }

/* Sets the alarm. If the time has already passed, requests the interrupt immediately, because the
   alarm would otherwise occur 71 minutes later. */
void board_set_alarm(uint32_t time_us) {
    TIMER_ALARM0 = time_us - BRIDGE_CLOCK_AT_BOOT;
    if (!bridge_is_before(board_now_us(), time_us)) {
        NVIC_ISPR = 1u << TIMER_IRQ_0;
    }
}

void timer_interrupt(void) {
    TIMER_INTR = ALARM;
    port_on_timer();
}

void beat_interrupt(void) {
    TIMER_INTR = BEAT;
    TIMER_ALARM1 = TIMER_TIMERAWL + BEAT_US;
    has_beaten = true;
}

bool timer_consume_beat(void) {
    bool beat = has_beaten;
    has_beaten = false;
    return beat;
}

/* Waits for an interrupt. If an interrupt has occurred since the last round, WFE does not sleep
   (ARMv6-M ARM B1.5.18), so the loop does the work of that interrupt without delay. The event
   of the interrupt that ends the sleep is cleared, because the next round does the work of that
   interrupt. */
void board_wait(void) { __asm__ volatile("wfe \n sev \n wfe" ::: "memory"); }
