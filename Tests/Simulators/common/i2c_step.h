// A step of an I2C controller: a time on the bus that stands still while a wire is held low.
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

// A wire may have become free or not.
void i2c_step_bus_changed(struct i2c_step *step, uint64_t when);

// ---- A byte against an SDA that is held low ----

// The number of clocks until it has shown its first 1. A byte without any gets what looks like an
// ACK.
unsigned i2c_clocks_to_first_one(uint8_t byte);

// ... until the next 1 of a byte that has come to `bit`, counted from its first; 0 if it is one.
unsigned i2c_clocks_to_next_one(uint8_t byte, uint64_t bit);

#endif
