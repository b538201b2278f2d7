#include "timer1.h"

#include <inttypes.h>

#define TOP 0xFFFFu

static const uint16_t compare_registers[TIMER1_CHANNELS] = {OCR1AL, OCR1BL};
static const uint8_t compare_flags[TIMER1_CHANNELS] = {OCF1A, OCF1B};

static uint16_t read_word(const struct timer1 *timer, uint16_t low_address) {
    const uint8_t *data = timer->mcu->data;
    return (uint16_t)(data[low_address] | data[low_address + 1] << 8);
}

// ---- Counting ----

// Clock cycles of one tick (table 16-5); 0: stopped.
static uint64_t divider(const struct timer1 *timer) {
    static const uint16_t dividers[] = {0, 1, 8, 64, 256, 1024};
    uint8_t select = timer->mcu->data[TCCR1B] & CS12_10;
    if (select >= sizeof dividers / sizeof dividers[0]) {
        mcu_crash(timer->mcu, "an external clock of Timer1 is not modelled");
    }
    return dividers[select];
}

// Ticks since the prescaler was 0, on and off.
static uint64_t ticks_until(const struct timer1 *timer, uint64_t when) {
    return (when - timer->prescaler_zero) / divider(timer);
}

static uint16_t count_at(const struct timer1 *timer, uint64_t when) {
    if (divider(timer) == 0 || when <= timer->count_at) {
        return timer->count;
    }
    uint64_t ticks = ticks_until(timer, when) - ticks_until(timer, timer->count_at);
    return (uint16_t)(timer->count + ticks);
}

// The first tick after `when` at which TCNT1 leaves `value`. That is when a match with the value
// sets its flag (16.7), and when the last value overflows.
static uint64_t leaves_value_at(const struct timer1 *timer, uint64_t when, uint16_t value) {
    uint64_t from = when > timer->count_at ? when : timer->count_at;
    uint64_t ticks = (uint64_t)(uint16_t)(value - count_at(timer, from)) + 1;
    return timer->prescaler_zero + (ticks_until(timer, from) + ticks) * divider(timer);
}

static uint64_t next_match(const struct timer1 *timer, uint64_t when, unsigned channel) {
    uint64_t match = leaves_value_at(timer, when, read_word(timer, compare_registers[channel]));
    bool is_missed = match <= timer->blind_until[channel];
    return is_missed ? match + (TOP + 1) * divider(timer) : match;
}

static void wait_for_flag(struct timer1 *timer, uint64_t when) {
    if (divider(timer) == 0) {
        schedule_cancel(timer->schedule, &timer->tick);
        return;
    }
    uint64_t next = leaves_value_at(timer, when, TOP);
    for (unsigned channel = 0; channel < TIMER1_CHANNELS; channel++) {
        uint64_t match = next_match(timer, when, channel);
        next = match < next ? match : next;
    }
    schedule_at(timer->schedule, &timer->tick, next);
}

// ---- Flags (16.11.8 and 16.11.9) ----

static void update(struct timer1 *timer) {
    uint8_t active = timer->mcu->data[TIFR1] & timer->mcu->data[TIMSK1];
    mcu_request(timer->mcu, VECTOR_TIMER1_OVF, (active & TOV1) != 0);
    mcu_request(timer->mcu, VECTOR_TIMER1_COMPA, (active & OCF1A) != 0);
    mcu_request(timer->mcu, VECTOR_TIMER1_COMPB, (active & OCF1B) != 0);
}

static void on_tick(void *owner, uint64_t when) {
    struct timer1 *timer = owner;
    uint16_t left = (uint16_t)(count_at(timer, when) - 1);
    uint8_t flags = left == TOP ? TOV1 : 0;
    for (unsigned channel = 0; channel < TIMER1_CHANNELS; channel++) {
        bool matches = left == read_word(timer, compare_registers[channel]);
        if (matches && when > timer->blind_until[channel]) {
            flags |= compare_flags[channel];
        }
    }
    timer->mcu->data[TIFR1] |= flags;
    update(timer);
    wait_for_flag(timer, when);
}

static void acknowledge(struct timer1 *timer, uint8_t flag) {
    timer->mcu->data[TIFR1] &= (uint8_t)~flag;
    update(timer);
}

static void acknowledge_overflow(void *owner) { acknowledge(owner, TOV1); }
static void acknowledge_match_a(void *owner) { acknowledge(owner, OCF1A); }
static void acknowledge_match_b(void *owner) { acknowledge(owner, OCF1B); }

// A 1 clears the flag.
static void write_flags(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer1 *timer = owner;
    acknowledge(timer, value & timer->mcu->written_bits);
}

static void write_mask(void *owner, uint16_t address, uint8_t value) {
    struct timer1 *timer = owner;
    timer->mcu->data[address] = value;
    update(timer);
}

// ---- 16-bit registers (16.3): the high byte waits in TEMP for the low one ----

static void write_temp(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer1 *timer = owner;
    timer->temp = value;
}

// A written register is there one cycle later: a tick until then knows only the old value.
static void let_tick(struct timer1 *timer) {
    if (timer->tick.due <= timer->mcu->now + 1) {
        on_tick(timer, timer->tick.due);
    }
}

static void write_count(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer1 *timer = owner;
    let_tick(timer);
    timer->count = (uint16_t)(timer->temp << 8 | value);
    timer->count_at = timer->mcu->now + 1;
    if (divider(timer) != 0) { // and the next tick matches nothing (16.7.2)
        uint64_t next_tick = leaves_value_at(timer, timer->count_at, timer->count);
        timer->blind_until[0] = next_tick;
        timer->blind_until[1] = next_tick;
    }
    wait_for_flag(timer, timer->mcu->now);
}

static uint8_t read_count_low(void *owner, uint16_t address) {
    (void)address;
    struct timer1 *timer = owner;
    uint16_t count = count_at(timer, timer->mcu->now);
    timer->temp = (uint8_t)(count >> 8);
    return (uint8_t)count;
}

static uint8_t read_count_high(void *owner, uint16_t address) {
    (void)address;
    const struct timer1 *timer = owner;
    return timer->temp;
}

static void write_compare(void *owner, uint16_t address, uint8_t value) {
    struct timer1 *timer = owner;
    let_tick(timer);
    timer->mcu->data[address] = value;
    timer->mcu->data[address + 1] = timer->temp;
    timer->blind_until[address == OCR1BL] = timer->mcu->now + 1;
    wait_for_flag(timer, timer->mcu->now);
}

// ---- Control ----

static void check_mode(const struct timer1 *timer) {
    const uint8_t *data = timer->mcu->data;
    if ((data[TCCR1A] & WGM11_10) != 0 || (data[TCCR1B] & WGM13_12) != 0) {
        mcu_crash(timer->mcu, "a mode of Timer1 other than normal is not modelled");
    }
}

// What has been counted is counted, before the clock changes.
static void hold_count(struct timer1 *timer) {
    uint64_t when = timer->mcu->now + 1;
    let_tick(timer);
    timer->count = count_at(timer, when);
    timer->count_at = when;
}

static void write_control(void *owner, uint16_t address, uint8_t value) {
    struct timer1 *timer = owner;
    bool was_stopped = divider(timer) == 0;
    hold_count(timer);
    timer->mcu->data[address] = value;
    check_mode(timer);
    if (was_stopped && divider(timer) != 0) {
        trace_line(timer->trace, "clock %" PRIu64, timer->mcu->now);
    }
    wait_for_flag(timer, timer->mcu->now);
}

// PSRSYNC clears itself (17.4.1).
static void write_prescaler_control(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer1 *timer = owner;
    if ((value & TSM) != 0) {
        mcu_crash(timer->mcu, "halting the prescaler by TSM is not modelled");
    }
    if ((value & PSRSYNC) != 0) {
        hold_count(timer);
        timer->prescaler_zero = timer->count_at;
        wait_for_flag(timer, timer->mcu->now);
    }
}

void timer1_init(struct timer1 *timer, struct mcu *mcu, struct schedule *schedule,
                 const struct trace *trace) {
    *timer = (struct timer1){.mcu = mcu, .schedule = schedule, .trace = trace};
    schedule_add(schedule, &timer->tick, on_tick, timer);
    mcu_on_write(mcu, TCCR1A, write_control, timer);
    mcu_on_write(mcu, TCCR1B, write_control, timer);
    mcu_on_write(mcu, TIFR1, write_flags, timer);
    mcu_on_write(mcu, TIMSK1, write_mask, timer);
    mcu_on_write(mcu, GTCCR, write_prescaler_control, timer);
    mcu_on_write(mcu, TCNT1H, write_temp, timer);
    mcu_on_write(mcu, TCNT1L, write_count, timer);
    mcu_on_read(mcu, TCNT1L, read_count_low, timer);
    mcu_on_read(mcu, TCNT1H, read_count_high, timer);
    mcu_on_write(mcu, OCR1AH, write_temp, timer);
    mcu_on_write(mcu, OCR1AL, write_compare, timer);
    mcu_on_write(mcu, OCR1BH, write_temp, timer);
    mcu_on_write(mcu, OCR1BL, write_compare, timer);
    mcu_on_interrupt(mcu, VECTOR_TIMER1_OVF, acknowledge_overflow, timer);
    mcu_on_interrupt(mcu, VECTOR_TIMER1_COMPA, acknowledge_match_a, timer);
    mcu_on_interrupt(mcu, VECTOR_TIMER1_COMPB, acknowledge_match_b, timer);
}

void timer1_reset(struct timer1 *timer) {
    timer1_power_off(timer);
    timer->count = 0;
    timer->count_at = timer->mcu->now;
    timer->prescaler_zero = timer->mcu->now;
    timer->temp = 0;
}

void timer1_power_off(struct timer1 *timer) { schedule_cancel(timer->schedule, &timer->tick); }
