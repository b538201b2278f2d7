/* The microsecond clock and its alarms: TIMER, which counts the watchdog's tick. */
#include "board.h"

#include "../../core/support/time.h"
#include "rp2040.h"
#include "../template/port.h"

#define ALARM (1u << TIMER_IRQ_0)
#define WAKE (1u << TIMER_IRQ_1)

/* The longest sleep, when nothing is to be done. */
#define SLEEP_US 250

void timer_start(void) {
    resets_cycle(RESETS_TIMER);
    TIMER_TIMELW = BRIDGE_CLOCK_AT_BOOT;
    TIMER_TIMEHW = 0; /* now the counter takes both */
    TIMER_INTE = ALARM | WAKE;
    NVIC_ISER = 1u << TIMER_IRQ_0 | 1u << TIMER_IRQ_1;
}

uint32_t board_now_us(void) { return TIMER_TIMERAWL; }

/* An alarm that is armed for a time that has passed would come after 71 minutes. */
void board_set_alarm(uint32_t time_us) {
    TIMER_ALARM0 = time_us;
    if (!bridge_is_before(board_now_us(), time_us)) {
        NVIC_ISPR = 1u << TIMER_IRQ_0;
    }
}

void timer_interrupt(void) {
    TIMER_INTR = ALARM;
    port_on_timer();
}

/* The alarm of board_wait, which only has to wake the processor. */
void wake_interrupt(void) { TIMER_INTR = WAKE; }

/* An interrupt that comes after the question wakes the processor although interrupts are off. */
void board_wait(void) {
    BRIDGE_CRITICAL_ENTER
    if (!usb_has_received()) {
        TIMER_ALARM1 = board_now_us() + SLEEP_US;
        __asm__ volatile("wfi" ::: "memory");
    }
    BRIDGE_CRITICAL_EXIT
}
