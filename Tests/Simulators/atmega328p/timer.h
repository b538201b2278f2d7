// Timer/Counter0 and 1 in normal mode, and their prescaler (datasheet sections 15, 16 and 17).
#ifndef TIMER_H
#define TIMER_H

#include "mcu.h"
#include "schedule.h"
#include "trace.h"

#define TIMER_CHANNELS 2u // A and B

// The differences between the timers: registers, bits and vectors. A register of 16 bits is given
// by its low byte.
struct timer_layout {
    const char *name;
    uint16_t top; // the largest count
    uint16_t control_a;
    uint16_t control_b;
    uint8_t mode_a; // the bits of its mode in both
    uint8_t mode_b;
    uint8_t other_mode; // one that counts as in normal mode; or 0
    uint16_t count;
    uint16_t compare[TIMER_CHANNELS];
    uint16_t flags;
    uint16_t mask;
    uint8_t overflow_vector;
    uint8_t compare_vectors[TIMER_CHANNELS];
};

extern const struct timer_layout timer0_layout;
extern const struct timer_layout timer1_layout;

struct timer {
    const struct timer_layout *layout;
    struct timer *other; // the one that has the same prescaler
    struct mcu *mcu;
    struct schedule *schedule;
    const struct trace *trace;
    struct event tick; // the next one that sets a flag
    // It was `count` at the cycle `count_at` and has counted since.
    uint16_t count;
    uint64_t count_at;
    uint64_t prescaler_zero; // cycle at which the prescaler was 0
    uint8_t temp;            // the high byte on its way (16.3)
    // Ticks until this cycle set no flag: the compare register or the count was not there yet.
    uint64_t blind_until[TIMER_CHANNELS];
};

void timer_init(struct timer *timer, const struct timer_layout *layout, struct timer *other,
                struct mcu *mcu, struct schedule *schedule, const struct trace *trace);

// Reset values, after mcu_reset.
void timer_reset(struct timer *timer);
void timer_power_off(struct timer *timer);

#endif
