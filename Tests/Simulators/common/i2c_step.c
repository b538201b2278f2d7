#include "i2c_step.h"

// The remaining time of a step does not elapse while SCL is held low.
static bool can_go_on(const struct i2c_step *step) {
    return !i2c_bus_is_stuck(step->bus) && !(step->needs_sda && i2c_bus_is_held(step->bus));
}

static void go_on(struct i2c_step *step, uint64_t when) {
    uint64_t held_until = step->bus->stretched_until;
    schedule_at(step->schedule, &step->ends, (held_until > when ? held_until : when) + step->left);
}

static void pause(struct i2c_step *step, uint64_t when) {
    step->left = step->ends.due - when;
    schedule_cancel(step->schedule, &step->ends);
}

void i2c_step_bus_changed(struct i2c_step *step, uint64_t when) {
    bool is_due = step->ends.due != SCHEDULE_NEVER;
    if (step->is_on && can_go_on(step) && !is_due) {
        go_on(step, when);
    } else if (is_due && !can_go_on(step)) {
        pause(step, when);
    }
}

static void on_end(void *owner, uint64_t when) {
    struct i2c_step *step = owner;
    step->is_on = false;
    step->end(step->owner, when);
}

void i2c_step_init(struct i2c_step *step, struct schedule *schedule, const struct i2c_bus *bus,
                   void (*end)(void *owner, uint64_t when), void *owner) {
    *step = (struct i2c_step){.schedule = schedule, .bus = bus, .end = end, .owner = owner};
    schedule_add(schedule, &step->ends, on_end, step);
}

void i2c_step_start(struct i2c_step *step, uint64_t when, uint64_t cycles, bool needs_sda) {
    step->is_on = true;
    step->needs_sda = needs_sda;
    step->left = cycles;
    i2c_step_bus_changed(step, when);
}

void i2c_step_cancel(struct i2c_step *step) {
    step->is_on = false;
    schedule_cancel(step->schedule, &step->ends);
}

unsigned i2c_clocks_to_first_one(uint8_t byte) {
    unsigned clocks = 1;
    while (clocks <= 8 && (byte >> (8 - clocks) & 1) == 0) {
        clocks++;
    }
    return clocks;
}

unsigned i2c_clocks_to_next_one(uint8_t byte, uint64_t bit) {
    unsigned clocks = 0;
    while (bit + clocks < 8 && (byte >> (7 - bit - clocks) & 1) == 0) {
        clocks++;
    }
    return clocks;
}
