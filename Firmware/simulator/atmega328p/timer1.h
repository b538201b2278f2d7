// Timer/Counter1 in normal mode, and its prescaler (datasheet sections 16 and 17).
#ifndef TIMER1_H
#define TIMER1_H

#include "mcu.h"
#include "schedule.h"
#include "trace.h"

#define TIMER1_CHANNELS 2u // A and B

struct timer1 {
    struct mcu *mcu;
    struct schedule *schedule;
    const struct trace *trace;
    struct event tick; // the next one that sets a flag
    // TCNT1 was `count` at the cycle `count_at` and has counted since.
    uint16_t count;
    uint64_t count_at;
    uint64_t prescaler_zero; // cycle at which the prescaler was 0
    uint8_t temp;            // the high byte on its way (16.3)
    // Ticks until this cycle set no flag: OCR1x or TCNT1 was not there yet.
    uint64_t blind_until[TIMER1_CHANNELS];
};

void timer1_init(struct timer1 *timer, struct mcu *mcu, struct schedule *schedule,
                 const struct trace *trace);

// Reset values, after mcu_reset.
void timer1_reset(struct timer1 *timer);
void timer1_power_off(struct timer1 *timer);

#endif
