#include "timer.h"

#include <inttypes.h>
#include <stdio.h>

// The flags and the clock selection have the same bits in both timers.
static const uint8_t compare_flags[TIMER_CHANNELS] = {OCF1A, OCF1B};

const struct timer_layout timer0_layout = {
    .name = "Timer0",
    .top = 0xFF,
    .control_a = TCCR0A,
    .control_b = TCCR0B,
    .mode_a = WGM01_00,
    .mode_b = WGM02,
    .other_mode = WGM01_00, // fast PWM, which counts in the same way as normal mode (15.7.3)
    .count = TCNT0,
    .compare = {OCR0A, OCR0B},
    .flags = TIFR0,
    .mask = TIMSK0,
    .overflow_vector = VECTOR_TIMER0_OVF,
    .compare_vectors = {VECTOR_TIMER0_COMPA, VECTOR_TIMER0_COMPB},
};

const struct timer_layout timer1_layout = {
    .name = "Timer1",
    .top = 0xFFFF,
    .control_a = TCCR1A,
    .control_b = TCCR1B,
    .mode_a = WGM11_10,
    .mode_b = WGM13_12,
    .count = TCNT1L,
    .compare = {OCR1AL, OCR1BL},
    .flags = TIFR1,
    .mask = TIMSK1,
    .overflow_vector = VECTOR_TIMER1_OVF,
    .compare_vectors = {VECTOR_TIMER1_COMPA, VECTOR_TIMER1_COMPB},
};

static bool has_16_bits(const struct timer *timer) { return timer->layout->top > UINT8_MAX; }

static uint16_t compare_value(const struct timer *timer, unsigned channel) {
    const uint8_t *data = &timer->mcu->data[timer->layout->compare[channel]];
    return (uint16_t)(data[0] | (has_16_bits(timer) ? data[1] << 8 : 0));
}

static uint16_t wrap(const struct timer *timer, uint64_t count) {
    return (uint16_t)(count & timer->layout->top);
}

_Noreturn static void crash(const struct timer *timer, const char *what) {
    char text[100];
    snprintf(text, sizeof text, "%s: %s", timer->layout->name, what);
    mcu_crash(timer->mcu, text);
}

// Returns true if the timer is in normal mode, or in a mode that counts in the same way. Other
// modes are permitted as long as the program does not use the timer: an Arduino core sets up Timer1
// for PWM before a sketch starts.
static bool is_counted(const struct timer *timer) {
    const uint8_t *data = timer->mcu->data;
    const struct timer_layout *layout = timer->layout;
    uint8_t mode = data[layout->control_a] & layout->mode_a;
    bool is_normal = mode == 0 || (layout->other_mode != 0 && mode == layout->other_mode);
    return is_normal && (data[layout->control_b] & layout->mode_b) == 0;
}

// ---- Counting ----

// Returns the number of clock cycles of one tick (table 16-5), or 0 if the timer is stopped.
static uint64_t divider(const struct timer *timer) {
    static const uint16_t dividers[] = {0, 1, 8, 64, 256, 1024};
    uint8_t select = timer->mcu->data[timer->layout->control_b] & CS12_10;
    if (select >= sizeof dividers / sizeof dividers[0]) {
        crash(timer, "an external clock is not modeled");
    }
    return dividers[select];
}

// Returns the number of ticks since the prescaler was 0, including the ticks during which the timer
// was stopped.
static uint64_t ticks_until(const struct timer *timer, uint64_t when) {
    return (when - timer->prescaler_zero) / divider(timer);
}

static uint16_t count_at(const struct timer *timer, uint64_t when) {
    if (divider(timer) == 0 || when <= timer->count_at) {
        return timer->count;
    }
    uint64_t ticks = ticks_until(timer, when) - ticks_until(timer, timer->count_at);
    return wrap(timer, timer->count + ticks);
}

// Returns the first tick after `when` at which the count changes from `value`. At this tick, a
// compare match with the value sets its flag (16.7), and the timer overflows if the value is the
// maximum count.
static uint64_t leaves_value_at(const struct timer *timer, uint64_t when, uint16_t value) {
    uint64_t from = when > timer->count_at ? when : timer->count_at;
    uint64_t ticks = (uint64_t)wrap(timer, (uint64_t)value - count_at(timer, from)) + 1;
    return timer->prescaler_zero + (ticks_until(timer, from) + ticks) * divider(timer);
}

static uint64_t next_match(const struct timer *timer, uint64_t when, unsigned channel) {
    uint64_t match = leaves_value_at(timer, when, compare_value(timer, channel));
    bool is_missed = match <= timer->blind_until[channel];
    return is_missed ? match + (timer->layout->top + 1u) * divider(timer) : match;
}

static void wait_for_flag(struct timer *timer, uint64_t when) {
    if (divider(timer) == 0 || !is_counted(timer)) {
        schedule_cancel(timer->schedule, &timer->tick);
        return;
    }
    uint64_t next = leaves_value_at(timer, when, timer->layout->top);
    for (unsigned channel = 0; channel < TIMER_CHANNELS; channel++) {
        uint64_t match = next_match(timer, when, channel);
        next = match < next ? match : next;
    }
    schedule_at(timer->schedule, &timer->tick, next);
}

// ---- Flags (16.11.8 and 16.11.9) ----

static void update(struct timer *timer) {
    const struct timer_layout *layout = timer->layout;
    uint8_t active = timer->mcu->data[layout->flags] & timer->mcu->data[layout->mask];
    mcu_request(timer->mcu, layout->overflow_vector, (active & TOV1) != 0);
    mcu_request(timer->mcu, layout->compare_vectors[0], (active & OCF1A) != 0);
    mcu_request(timer->mcu, layout->compare_vectors[1], (active & OCF1B) != 0);
}

static void on_tick(void *owner, uint64_t when) {
    struct timer *timer = owner;
    uint16_t left = wrap(timer, count_at(timer, when) - UINT64_C(1));
    uint8_t flags = left == timer->layout->top ? TOV1 : 0;
    for (unsigned channel = 0; channel < TIMER_CHANNELS; channel++) {
        bool matches = left == compare_value(timer, channel);
        if (matches && when > timer->blind_until[channel]) {
            flags |= compare_flags[channel];
        }
    }
    timer->mcu->data[timer->layout->flags] |= flags;
    update(timer);
    wait_for_flag(timer, when);
}

static void acknowledge(struct timer *timer, uint8_t flag) {
    timer->mcu->data[timer->layout->flags] &= (uint8_t)~flag;
    update(timer);
}

static void acknowledge_overflow(void *owner) { acknowledge(owner, TOV1); }
static void acknowledge_match_a(void *owner) { acknowledge(owner, OCF1A); }
static void acknowledge_match_b(void *owner) { acknowledge(owner, OCF1B); }

// Writes the flags: a 1 clears a flag.
static void write_flags(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer *timer = owner;
    acknowledge(timer, value & timer->mcu->written_bits);
}

static void check_mode(const struct timer *timer) {
    if (!is_counted(timer) && timer->mcu->data[timer->layout->mask] != 0) {
        crash(timer, "interrupts in a mode other than normal are not modeled");
    }
    if ((timer->mcu->data[timer->layout->control_a] & COM1) != 0) {
        crash(timer, "output pins are not modeled");
    }
}

static void write_mask(void *owner, uint16_t address, uint8_t value) {
    struct timer *timer = owner;
    timer->mcu->data[address] = value;
    check_mode(timer);
    update(timer);
}

// ---- 16-bit registers (16.3): TEMP holds the high byte until the low byte is accessed ----

static void write_temp(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer *timer = owner;
    timer->temp = value;
}

// Executes a tick that is due before a write to a register takes effect. The write takes effect one
// cycle later, so the tick uses the old value.
static void let_tick(struct timer *timer) {
    if (timer->tick.due <= timer->mcu->now + 1) {
        on_tick(timer, timer->tick.due);
    }
}

static void write_count(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer *timer = owner;
    let_tick(timer);
    timer->count = (uint16_t)(timer->temp << 8 | value);
    timer->count_at = timer->mcu->now + 1;
    if (divider(timer) != 0) { // the next tick matches no compare value (16.7.2)
        uint64_t next_tick = leaves_value_at(timer, timer->count_at, timer->count);
        timer->blind_until[0] = next_tick;
        timer->blind_until[1] = next_tick;
    }
    wait_for_flag(timer, timer->mcu->now);
}

static uint8_t read_count_low(void *owner, uint16_t address) {
    (void)address;
    struct timer *timer = owner;
    if (!is_counted(timer)) {
        crash(timer, "counting in a mode other than normal is not modeled");
    }
    uint16_t count = count_at(timer, timer->mcu->now);
    timer->temp = (uint8_t)(count >> 8);
    return (uint8_t)count;
}

static uint8_t read_count_high(void *owner, uint16_t address) {
    (void)address;
    const struct timer *timer = owner;
    return timer->temp;
}

static void write_compare(void *owner, uint16_t address, uint8_t value) {
    struct timer *timer = owner;
    let_tick(timer);
    if ((timer->mcu->data[timer->layout->control_a] & timer->layout->mode_a) != 0) {
        crash(timer, "compare buffers of modes other than normal are not modeled");
    }
    timer->mcu->data[address] = value;
    if (has_16_bits(timer)) {
        timer->mcu->data[address + 1] = timer->temp;
    }
    timer->blind_until[address == timer->layout->compare[1]] = timer->mcu->now + 1;
    wait_for_flag(timer, timer->mcu->now);
}

// ---- Control ----

// Updates the count before its clock changes.
static void hold_count(struct timer *timer) {
    uint64_t when = timer->mcu->now + 1;
    let_tick(timer);
    timer->count = count_at(timer, when);
    timer->count_at = when;
}

static void write_control(void *owner, uint16_t address, uint8_t value) {
    struct timer *timer = owner;
    bool was_stopped = divider(timer) == 0;
    hold_count(timer);
    timer->mcu->data[address] = value;
    check_mode(timer);
    if (was_stopped && divider(timer) != 0 && timer->layout == &timer1_layout) {
        trace_line(timer->trace, "clock %" PRIu64, timer->mcu->now);
    }
    wait_for_flag(timer, timer->mcu->now);
}

static void synchronize(struct timer *timer) {
    hold_count(timer);
    timer->prescaler_zero = timer->count_at;
    wait_for_flag(timer, timer->mcu->now);
}

// Resets the prescaler, which both timers share. PSRSYNC clears itself (17.4.1).
static void write_prescaler_control(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct timer *timer = owner;
    if ((value & TSM) != 0) {
        mcu_crash(timer->mcu, "halting the prescaler by TSM is not modeled");
    }
    if ((value & PSRSYNC) != 0) {
        synchronize(timer);
        synchronize(timer->other);
    }
}

// ---- Set-up ----

static void connect(struct timer *timer) {
    struct mcu *mcu = timer->mcu;
    const struct timer_layout *layout = timer->layout;
    mcu_on_write(mcu, layout->control_a, write_control, timer);
    mcu_on_write(mcu, layout->control_b, write_control, timer);
    mcu_on_write(mcu, layout->flags, write_flags, timer);
    mcu_on_write(mcu, layout->mask, write_mask, timer);
    mcu_on_write(mcu, layout->count, write_count, timer);
    mcu_on_read(mcu, layout->count, read_count_low, timer);
    mcu_on_interrupt(mcu, layout->overflow_vector, acknowledge_overflow, timer);
    mcu_on_interrupt(mcu, layout->compare_vectors[0], acknowledge_match_a, timer);
    mcu_on_interrupt(mcu, layout->compare_vectors[1], acknowledge_match_b, timer);
    for (unsigned channel = 0; channel < TIMER_CHANNELS; channel++) {
        mcu_on_write(mcu, layout->compare[channel], write_compare, timer);
        if (has_16_bits(timer)) {
            mcu_on_write(mcu, (uint16_t)(layout->compare[channel] + 1), write_temp, timer);
        }
    }
    if (has_16_bits(timer)) {
        mcu_on_write(mcu, (uint16_t)(layout->count + 1), write_temp, timer);
        mcu_on_read(mcu, (uint16_t)(layout->count + 1), read_count_high, timer);
    }
}

void timer_init(struct timer *timer, const struct timer_layout *layout, struct timer *other,
                struct mcu *mcu, struct schedule *schedule, const struct trace *trace) {
    *timer = (struct timer){
        .layout = layout, .other = other, .mcu = mcu, .schedule = schedule, .trace = trace};
    schedule_add(schedule, &timer->tick, on_tick, timer);
    connect(timer);
    mcu_on_write(mcu, GTCCR, write_prescaler_control, timer);
}

void timer_reset(struct timer *timer) {
    timer_power_off(timer);
    timer->count = 0;
    timer->count_at = timer->mcu->now;
    timer->prescaler_zero = timer->mcu->now;
    timer->temp = 0;
}

void timer_power_off(struct timer *timer) { schedule_cancel(timer->schedule, &timer->tick); }
