#include "timer.h"

#include <inttypes.h>

#include "machine.h"

enum {
    TIMEHW = 0x00,
    TIMELW = 0x04,
    TIMEHR = 0x08,
    TIMELR = 0x0C,
    ALARM0 = 0x10,
    ALARM_END = ALARM0 + 4 * TIMER_ALARMS,
    ARMED = 0x20,
    TIMERAWH = 0x24,
    TIMERAWL = 0x28,
    PAUSE = 0x30,
    INTR = 0x34,
    INTE = 0x38,
    INTF = 0x3C,
    INTS = 0x40,
};

#define ALARM_BITS ((1u << TIMER_ALARMS) - 1)

// ---- Time ----

static uint64_t time_now(const struct timer *timer) {
    if (timer->tick_period != CYCLES_PER_US) {
        machine_crash(timer->machine, "TIMER is used without a tick of 1 us");
    }
    if (timer->is_paused) {
        return timer->paused_at;
    }
    return timer->offset + (timer->machine->now - timer->tick_since) / CYCLES_PER_US;
}

static void set_time(struct timer *timer, uint64_t time) {
    timer->offset = 0;
    timer->offset = time - time_now(timer);
}

// Returns the cycle at which the time was 0.
static void tell_start(const struct timer *timer) {
    uint64_t start = timer->tick_since - timer->offset * CYCLES_PER_US;
    trace_line(timer->machine->trace, "clock %" PRIu64, start);
}

void timer_set_tick(struct timer *timer, uint32_t period) {
    timer->tick_period = period;
    timer->tick_since = timer->machine->now;
    timer->offset = 0;
    if (period == CYCLES_PER_US) {
        tell_start(timer);
    }
}

// ---- Alarms ----

static void update(const struct timer *timer) {
    uint32_t requested = (timer->raised | timer->forced) & timer->enabled;
    for (unsigned alarm = 0; alarm < TIMER_ALARMS; alarm++) {
        machine_set_irq(timer->machine, IRQ_TIMER_0 + alarm, requested >> alarm & 1);
    }
}

static void on_match(void *owner, uint64_t when) {
    const struct timer_alarm *alarm = owner;
    struct timer *timer = alarm->timer;
    uint32_t bit = 1u << (alarm - timer->alarms);
    (void)when;
    timer->armed &= ~bit;
    timer->raised |= bit;
    update(timer);
}

static void disarm(struct timer *timer, uint32_t alarms) {
    timer->armed &= ~alarms;
    for (unsigned alarm = 0; alarm < TIMER_ALARMS; alarm++) {
        if ((alarms >> alarm & 1) != 0) {
            schedule_cancel(timer->machine->schedule, &timer->alarms[alarm].match);
        }
    }
}

// Arms an alarm. The alarm is raised when the lower half of the time becomes equal to the alarm
// time. If the alarm time has already passed, the lower half of the time reaches it again after up
// to 71 minutes.
static void arm(struct timer *timer, unsigned index, uint32_t time) {
    struct timer_alarm *alarm = &timer->alarms[index];
    uint64_t now = time_now(timer);
    uint32_t left = time - (uint32_t)now;
    uint64_t until = left != 0 ? left : UINT64_C(1) << 32;
    alarm->time = time;
    timer->armed |= 1u << index;
    if (timer->is_paused) {
        return;
    }
    uint64_t ticks = now + until - timer->offset;
    schedule_at(timer->machine->schedule, &alarm->match, timer->tick_since + ticks * CYCLES_PER_US);
}

// Pauses or resumes the timer. Images do not pause the timer, but a flipped bit in the register can
// pause it.
static void pause(struct timer *timer, bool pauses) {
    uint64_t time = time_now(timer);
    if (pauses == timer->is_paused) {
        return;
    }
    uint32_t armed = timer->armed;
    disarm(timer, ALARM_BITS);
    timer->is_paused = pauses;
    timer->paused_at = time;
    if (!pauses) {
        set_time(timer, time);
    }
    for (unsigned alarm = 0; alarm < TIMER_ALARMS; alarm++) {
        if ((armed >> alarm & 1) != 0) {
            arm(timer, alarm, timer->alarms[alarm].time);
        }
    }
}

// ---- Registers ----

static uint32_t peek(void *owner, uint32_t offset) {
    const struct timer *timer = owner;
    if (offset >= ALARM0 && offset < ALARM_END) {
        return timer->alarms[(offset - ALARM0) / 4].time;
    }
    switch (offset) {
    case TIMEHR:
        return timer->latched_high;
    case TIMELR:
    case TIMERAWL:
        return (uint32_t)time_now(timer);
    case TIMERAWH:
        return (uint32_t)(time_now(timer) >> 32);
    case ARMED:
        return timer->armed;
    case PAUSE:
        return timer->is_paused;
    case INTR:
        return timer->raised;
    case INTE:
        return timer->enabled;
    case INTF:
        return timer->forced;
    case INTS:
        return (timer->raised | timer->forced) & timer->enabled;
    default:
        machine_not_modelled(timer->machine, "TIMER", offset);
    }
}

static uint32_t read(void *owner, uint32_t offset) {
    struct timer *timer = owner;
    if (offset == TIMELR) {
        timer->latched_high = (uint32_t)(time_now(timer) >> 32);
    }
    return peek(timer, offset);
}

static void write(void *owner, uint32_t offset, uint32_t value) {
    struct timer *timer = owner;
    if (offset >= ALARM0 && offset < ALARM_END) {
        arm(timer, (offset - ALARM0) / 4, value);
        return;
    }
    switch (offset) {
    case TIMEHW:
        set_time(timer, (uint64_t)value << 32 | timer->written_low);
        break;
    case TIMELW:
        timer->written_low = value;
        break;
    case ARMED:
        disarm(timer, value);
        break;
    case PAUSE:
        pause(timer, (value & 1) != 0);
        break;
    case INTR:
        timer->raised &= ~value;
        break;
    case INTE:
        machine_check_bits(timer->machine, "TIMER", offset, value, ALARM_BITS);
        timer->enabled = value;
        break;
    case INTF:
        machine_check_bits(timer->machine, "TIMER", offset, value, ALARM_BITS);
        timer->forced = value;
        break;
    default:
        machine_not_modelled(timer->machine, "TIMER", offset);
    }
    update(timer);
}

// ---- Set-up ----

static void reset(void *owner) {
    struct timer *timer = owner;
    disarm(timer, ALARM_BITS);
    timer->is_paused = false;
    timer->raised = 0;
    timer->enabled = 0;
    timer->forced = 0;
    timer->written_low = 0;
    timer->latched_high = 0;
    if (timer->tick_period == CYCLES_PER_US) {
        set_time(timer, 0);
        tell_start(timer);
    }
    for (unsigned alarm = 0; alarm < TIMER_ALARMS; alarm++) {
        timer->alarms[alarm].time = 0;
    }
    update(timer);
}

void timer_init(struct timer *timer, struct machine *machine) {
    static const uint16_t write_clears[] = {ARMED, INTR, NO_REGISTER};
    *timer = (struct timer){.machine = machine};
    for (unsigned alarm = 0; alarm < TIMER_ALARMS; alarm++) {
        timer->alarms[alarm].timer = timer;
        schedule_add(machine->schedule, &timer->alarms[alarm].match, on_match,
                     &timer->alarms[alarm]);
    }
    const struct registers registers = {.name = "TIMER",
                                        .base = 0x40054000,
                                        .supply = {.resets = RESETS_TIMER},
                                        .read = read,
                                        .peek = peek,
                                        .write = write,
                                        .reset = reset,
                                        .owner = timer,
                                        .write_clears = write_clears};
    machine_add_registers(machine, &registers);
}
