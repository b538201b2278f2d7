// A step of an I2C controller: a period on the bus that pauses while a wire is held low.
#ifndef I2C_STEP_H
#define I2C_STEP_H

#include "i2c_bus.h"

struct i2c_step {
    struct schedule *schedule;
    const struct i2c_bus *bus;
    struct event ends;
    uint64_t left; // the number of remaining cycles while the step is paused
    bool is_on;
    bool needs_sda; // true for START and STOP, whose steps also pause while SDA is low
    void (*end)(void *owner, uint64_t when);
    void *owner;
};

void i2c_step_init(struct i2c_step *step, struct schedule *schedule, const struct i2c_bus *bus,
                   void (*end)(void *owner, uint64_t when), void *owner);

void i2c_step_start(struct i2c_step *step, uint64_t when, uint64_t cycles, bool needs_sda);
void i2c_step_cancel(struct i2c_step *step);

// Notifies the step that a wire may have been released or held.
void i2c_step_bus_changed(struct i2c_step *step, uint64_t when);

// ---- Bytes that are sent while a chip holds SDA low ----

// Returns the number of clocks until the chip has sent its first 1. If the byte contains no 1, the
// bit that follows the byte appears as an ACK.
unsigned i2c_clocks_to_first_one(uint8_t byte);

// Returns the number of clocks until the next 1 bit of a byte, counted from the bit with the index
// `bit` (0 is the first bit). Returns 0 if the bit with this index is itself 1.
unsigned i2c_clocks_to_next_one(uint8_t byte, uint64_t bit);

#endif
