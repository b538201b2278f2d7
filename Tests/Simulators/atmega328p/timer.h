// Timer/Counter0 and 1 in normal mode, and their prescaler (datasheet sections 15, 16 and 17).
#ifndef TIMER_H
#define TIMER_H

#include "mcu.h"
#include "schedule.h"
#include "trace.h"

#define TIMER_CHANNELS 2u // A and B

// The differences between the timers: registers, bits and vectors. The address of a 16-bit register
// is the address of its low byte.
struct timer_layout {
    const char *name;
    uint16_t top; // the maximum count
    uint16_t control_a;
    uint16_t control_b;
    uint8_t mode_a; // the mode bits in both registers
    uint8_t mode_b;
    uint8_t other_mode; // another mode that counts in the same way as normal mode; 0 if there is no
                        // such mode
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
    struct timer *other; // the timer that uses the same prescaler
    struct mcu *mcu;
    struct schedule *schedule;
    const struct trace *trace;
    struct event tick; // the next tick that sets a flag
    // The timer had the count `count` at the cycle `count_at`, and has been counting since then.
    uint16_t count;
    uint64_t count_at;
    uint64_t prescaler_zero; // the cycle at which the prescaler was 0
    uint8_t temp;            // the high byte of an access (16.3)
    // Ticks before this cycle do not set a flag, because a write to the compare register or the
    // count suppresses the match.
    uint64_t blind_until[TIMER_CHANNELS];
};

void timer_init(struct timer *timer, const struct timer_layout *layout, struct timer *other,
                struct mcu *mcu, struct schedule *schedule, const struct trace *trace);

// Sets the reset values. This function must be called after mcu_reset.
void timer_reset(struct timer *timer);
void timer_power_off(struct timer *timer);

#endif
