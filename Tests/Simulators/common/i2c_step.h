// A step of an I2C controller: a time on the bus that stops while a wire is held low.
#ifndef I2C_STEP_H
#define I2C_STEP_H

#include "i2c_bus.h"

struct i2c_step {
    struct schedule *schedule;
    const struct i2c_bus *bus;
    struct event ends;
    uint64_t left; // cycles still to go while it stands still
    bool is_on;
    bool needs_sda; // START and STOP
    void (*end)(void *owner, uint64_t when);
    void *owner;
};

void i2c_step_init(struct i2c_step *step, struct schedule *schedule, const struct i2c_bus *bus,
                   void (*end)(void *owner, uint64_t when), void *owner);

void i2c_step_start(struct i2c_step *step, uint64_t when, uint64_t cycles, bool needs_sda);
void i2c_step_cancel(struct i2c_step *step);

// Called when a wire may have been released or held.
void i2c_step_bus_changed(struct i2c_step *step, uint64_t when);

// ---- A byte against an SDA that is held low ----

// The number of clocks until the chip has sent its first 1. A byte without a 1 is followed by a bit
// that looks like an ACK.
unsigned i2c_clocks_to_first_one(uint8_t byte);

// The number of clocks until the next 1 of a byte, from `bit` on, which counts from the first bit;
// 0 if that bit is 1.
unsigned i2c_clocks_to_next_one(uint8_t byte, uint64_t bit);

#endif
