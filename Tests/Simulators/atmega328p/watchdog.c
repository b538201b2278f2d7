#include "watchdog.h"

#define OSCILLATOR_HZ 128000u
#define CYCLES_PER_OSCILLATION (CLOCK_HZ / OSCILLATOR_HZ)

#define CHANGE_CYCLES 4u

static bool has(const struct watchdog *watchdog, uint8_t bits) {
    return (watchdog->mcu->data[WDTCSR] & bits) != 0;
}

static void update(const struct watchdog *watchdog) {
    mcu_request(watchdog->mcu, VECTOR_WDT, has(watchdog, WDIF) && has(watchdog, WDIE));
}

// Returns the timeout: 2048 << WDP oscillations (table 11-2).
static uint64_t time_out_cycles(const struct watchdog *watchdog) {
    uint8_t control = watchdog->mcu->data[WDTCSR];
    unsigned prescaler = (control & WDP2_0) | ((control & WDP3) != 0 ? 8u : 0u);
    return (UINT64_C(2048) << prescaler) * CYCLES_PER_OSCILLATION;
}

static void wait_for_time_out(struct watchdog *watchdog) {
    if (!has(watchdog, WDE | WDIE)) {
        schedule_cancel(watchdog->schedule, &watchdog->time_out);
        return;
    }
    uint64_t due = watchdog->cleared_at + time_out_cycles(watchdog);
    uint64_t now = watchdog->mcu->now;
    schedule_at(watchdog->schedule, &watchdog->time_out, due > now ? due : now);
}

// Handles a timeout (table 11-1). With WDE and WDIE both set, the reset occurs if the interrupt is
// not executed before the next timeout (11.9.2, WDE).
static void on_time_out(void *owner, uint64_t when) {
    struct watchdog *watchdog = owner;
    bool interrupt_is_late = has(watchdog, WDIF);
    if (has(watchdog, WDE) && (!has(watchdog, WDIE) || interrupt_is_late)) {
        watchdog->wants_reset = true;
        return;
    }
    watchdog->mcu->data[WDTCSR] |= WDIF;
    watchdog->cleared_at = when;
    wait_for_time_out(watchdog);
    update(watchdog);
}

static void on_wdr(void *owner) {
    struct watchdog *watchdog = owner;
    watchdog->cleared_at = watchdog->mcu->now;
    wait_for_time_out(watchdog);
}

// Executes the interrupt. In interrupt and system reset mode, the next timeout causes a reset.
static void acknowledge(void *owner) {
    struct watchdog *watchdog = owner;
    uint8_t cleared = has(watchdog, WDE) ? WDIF | WDIE : WDIF;
    watchdog->mcu->data[WDTCSR] &= (uint8_t)~cleared;
    update(watchdog);
}

static bool may_change(const struct watchdog *watchdog) {
    return watchdog->mcu->now <= watchdog->change_until;
}

// Returns the new value of WDTCSR after a write. A write can clear WDE and change WDP only within
// four cycles after a write that has set WDCE and WDE. While WDRF is set, WDE cannot be cleared
// (11.9.2).
static uint8_t changed_control(struct watchdog *watchdog, uint8_t value) {
    uint8_t timing = WDE | WDP3 | WDP2_0;
    uint8_t control = watchdog->mcu->data[WDTCSR] & (WDIF | timing);
    if (may_change(watchdog) && (value & WDCE) == 0) {
        control = (uint8_t)((control & ~timing) | (value & timing));
        watchdog->change_until = 0;
    } else if ((value & WDCE) != 0 && (value & WDE) != 0) {
        watchdog->change_until = watchdog->mcu->now + CHANGE_CYCLES;
    }
    control |= value & (WDIE | WDE);
    if ((value & WDIF) != 0) { // a 1 clears the flag
        control &= (uint8_t)~WDIF;
    }
    bool is_forced = (watchdog->mcu->data[MCUSR] & WDRF) != 0;
    return is_forced ? control | WDE : control;
}

static void write_control(void *owner, uint16_t address, uint8_t value) {
    struct watchdog *watchdog = owner;
    bool was_off = !has(watchdog, WDE | WDIE);
    watchdog->mcu->data[address] = changed_control(watchdog, value);
    if (was_off) {
        watchdog->cleared_at = watchdog->mcu->now;
    }
    wait_for_time_out(watchdog);
    update(watchdog);
}

static uint8_t read_control(void *owner, uint16_t address) {
    const struct watchdog *watchdog = owner;
    uint8_t control = watchdog->mcu->data[address] & (uint8_t)~WDCE;
    return may_change(watchdog) ? control | WDCE : control;
}

// Writes MCUSR: a flag can be cleared, but not set (11.9.1).
static void write_causes(void *owner, uint16_t address, uint8_t value) {
    struct watchdog *watchdog = owner;
    watchdog->mcu->data[address] &= value;
}

void watchdog_init(struct watchdog *watchdog, struct mcu *mcu, struct schedule *schedule) {
    *watchdog = (struct watchdog){.mcu = mcu, .schedule = schedule};
    schedule_add(schedule, &watchdog->time_out, on_time_out, watchdog);
    mcu_on_write(mcu, WDTCSR, write_control, watchdog);
    mcu_on_read(mcu, WDTCSR, read_control, watchdog);
    mcu_on_write(mcu, MCUSR, write_causes, watchdog);
    mcu_on_interrupt(mcu, VECTOR_WDT, acknowledge, watchdog);
    mcu->watchdog_reset = (struct mcu_vector){.acknowledge = on_wdr, .owner = watchdog};
}

void watchdog_reset(struct watchdog *watchdog, uint8_t causes) {
    watchdog->mcu->data[MCUSR] = causes;
    watchdog->mcu->data[WDTCSR] = (causes & WDRF) != 0 ? WDE : 0;
    watchdog->cleared_at = watchdog->mcu->now;
    watchdog->change_until = 0;
    watchdog->wants_reset = false;
    wait_for_time_out(watchdog);
}

void watchdog_power_off(struct watchdog *watchdog) {
    schedule_cancel(watchdog->schedule, &watchdog->time_out);
}
