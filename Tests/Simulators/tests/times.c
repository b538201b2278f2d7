// Tests of the behavior that the datasheet specifies for the watchdog and TIMER, and of the
// accesses that the simulator must refuse.
#include "program.h"

#define TIMER_TIMEHW REGISTER(0x40054000)
#define TIMER_TIMELW REGISTER(0x40054004)
#define TIMER_TIMEHR REGISTER(0x40054008)
#define TIMER_TIMELR REGISTER(0x4005400c)
#define TIMER_ARMED REGISTER(0x40054020)
#define WATCHDOG_SCRATCH0 REGISTER(0x4005800c)
#define WATCHDOG_CTRL_TRIGGER (1u << 31)
#define WATCHDOG_REASON_TIMER (1u << 0)
#define WATCHDOG_REASON_FORCE (1u << 1)
#define ALL_BUT_OSCILLATORS (PSM_ALL & ~(PSM_ROSC | PSM_XOSC))

// ---- Watchdog ----

static void start_watchdog(uint32_t us) {
    PSM_WDSEL = ALL_BUT_OSCILLATORS;
    WATCHDOG_LOAD = 2 * us;
    WATCHDOG_CTRL = WATCHDOG_CTRL_ENABLE;
}

static void wait_for_ever(void) {
    for (;;) {
        __asm__ volatile("wfi");
    }
}

PROGRAM(watchdog_time,
        "the watchdog counts down by two per microsecond, and its reset sets REASON") {
    if (WATCHDOG_REASON == 0) {
        start_timer();
        start_watchdog(1000);
        uint32_t begun = TIMER_TIMERAWL;
        while (TIMER_TIMERAWL - begun < 990) {
        }
        WATCHDOG_SCRATCH0 = WATCHDOG_CTRL & 0xFFFFFF;
        wait_for_ever();
    }
    CHECK(WATCHDOG_REASON == WATCHDOG_REASON_TIMER);
    CHECK(WATCHDOG_SCRATCH0 > 10 && WATCHDOG_SCRATCH0 <= 20);
    CHECK(CHIP_RESET == 1u << 8);
    CHECK((WATCHDOG_CTRL & WATCHDOG_CTRL_ENABLE) == 0 && PSM_WDSEL == 0);
    CHECK((XOSC_STATUS & XOSC_STATUS_STABLE) != 0 && CLK_SYS_SELECTED == 1);
}

PROGRAM(watchdog_fed, "a watchdog that is fed does not reset") {
    CHECK(WATCHDOG_REASON == 0);
    start_timer();
    start_watchdog(1000);
    uint32_t begun = TIMER_TIMERAWL;
    while (TIMER_TIMERAWL - begun < 5000) {
        WATCHDOG_LOAD = 2000;
    }
    WATCHDOG_CTRL = 0;
    while (TIMER_TIMERAWL - begun < 8000) {
    }
}

PROGRAM(watchdog_trigger, "the watchdog resets immediately when it is triggered") {
    if (WATCHDOG_REASON == 0) {
        PSM_WDSEL = ALL_BUT_OSCILLATORS;
        WATCHDOG_CTRL = WATCHDOG_CTRL_TRIGGER;
    }
    CHECK(WATCHDOG_REASON == WATCHDOG_REASON_FORCE);
}

REFUSED(watchdog_without_all, "a watchdog reset of a part of the chip is not modeled",
        "a watchdog reset with PSM_WDSEL 0x0 is not modeled") {
    start_timer();
    WATCHDOG_LOAD = 2000;
    WATCHDOG_CTRL = WATCHDOG_CTRL_ENABLE;
}

REFUSED(watchdog_without_tick, "a watchdog without a tick never resets",
        "the watchdog is enabled without a tick or a time") {
    start_watchdog(1000);
}

// ---- TIMER ----

REFUSED(timer_without_tick, "TIMER without a tick does not count",
        "TIMER is used without a tick of 1 us") {
    (void)TIMER_TIMERAWL;
}

REFUSED(tick_of_rosc, "a tick in periods of ROSC is not a tick of microseconds",
        "TIMER is used without a tick of 1 us") {
    WATCHDOG_TICK = 12 | WATCHDOG_TICK_ENABLE;
    (void)TIMER_TIMERAWL;
}

PROGRAM(timer_latch, "TIMELR latches TIMEHR") {
    start_timer();
    TIMER_TIMELW = UINT32_MAX;
    TIMER_TIMEHW = 6;
    CHECK(TIMER_TIMELR == UINT32_MAX);
    while (TIMER_TIMERAWL == UINT32_MAX) {
    }
    CHECK(TIMER_TIMEHR == 6);
    CHECK(TIMER_TIMELR < 100 && TIMER_TIMEHR == 7);
}

static volatile uint32_t alarm_time;

static void on_alarm(void) {
    alarm_time = TIMER_TIMERAWL;
    TIMER_INTR = 1;
}

PROGRAM(alarm, "an alarm occurs once, at its time") {
    start_timer();
    handle(IRQ_0, on_alarm);
    NVIC_ISER = 1;
    TIMER_INTE = 1;
    uint32_t time = TIMER_TIMERAWL + 50;
    TIMER_ALARM0 = time;
    CHECK(TIMER_ARMED == 1);
    __asm__ volatile("wfi");
    CHECK(alarm_time == time);
    CHECK(TIMER_ARMED == 0 && TIMER_INTR == 0);
}

PROGRAM(alarm_past, "an alarm for a current or past time does not occur") {
    start_timer();
    uint32_t now = TIMER_TIMERAWL;
    TIMER_ALARM0 = now;
    TIMER_ALARM1 = now - 1;
    while (TIMER_TIMERAWL - now < 100) {
    }
    CHECK(TIMER_ARMED == 3 && TIMER_INTR == 0);
}

PROGRAM(alarm_disarmed, "a disarmed alarm does not occur") {
    start_timer();
    TIMER_ALARM0 = TIMER_TIMERAWL + 10;
    TIMER_ARMED = 1;
    for (uint32_t begun = TIMER_TIMERAWL; TIMER_TIMERAWL - begun < 20;) {
    }
    CHECK(TIMER_INTR == 0);
}

PROGRAM(timer_reset, "a reset of TIMER sets it to 0, and disarms its alarms") {
    start_timer();
    TIMER_ALARM0 = TIMER_TIMERAWL + 30;
    resets_cycle(RESETS_TIMER);
    CHECK(TIMER_TIMERAWL < 2 && TIMER_ARMED == 0);
    while (TIMER_TIMERAWL < 100) {
    }
    CHECK(TIMER_INTR == 0);
}
