// The two wires between the controller and the chips, with pull-ups: one chip on them, or several
// behind a TCA9548A; who holds them low, and the transaction that is on them.
#ifndef I2C_BUS_H
#define I2C_BUS_H

#include "chip.h"
#include "tca9548a_model.h"

#define I2C_TRANSACTION_MAX 4096u

// Who pulls a wire low besides the chips.
struct i2c_pulls {
    bool scl;
    bool sda;
};

struct i2c_bus {
    struct chip *chips; // those of the board
    unsigned count;     // more than one are behind the mux, each on the channel of its number
    struct tca9548a_model mux;
    const struct trace *trace;
    // Called when a wire may have become free or not.
    void (*changed)(void *owner, uint64_t when);
    void *owner;

    bool is_stuck;             // a fault holds SCL low
    bool is_weak;              // pull-up resistors with which no bit at 400 kHz rises in time
    bool is_garbled;           // ... as in the present transaction, which reaches no chip
    uint8_t stuck_channels;    // likewise behind the mux, where channels are open
    bool has_controller;       // the I2C peripheral has the pins, not the ports
    bool controller_holds_scl; // ... and waits for the program
    struct i2c_pulls pins;     // what the ports do, heeded or not
    uint64_t stretched_until;  // a chip holds SCL low

    // The transaction.
    bool is_open;
    bool is_address; // the next byte
    bool has_nack;
    uint8_t reached; // mask of chips
    uint64_t asked;  // cycle at which START was asked for
    uint16_t length;
    uint8_t bytes[I2C_TRANSACTION_MAX];
};

void i2c_bus_init(struct i2c_bus *bus, struct chip *chips, unsigned count,
                  const struct trace *trace);

// The board's supply.
void i2c_bus_set_power(struct i2c_bus *bus, bool on);

// ---- Levels ----

bool i2c_bus_scl(const struct i2c_bus *bus);
bool i2c_bus_sda(const struct i2c_bus *bus);
// A fault holds SCL low, or a chip SDA.
bool i2c_bus_is_stuck(const struct i2c_bus *bus);
bool i2c_bus_is_held(const struct i2c_bus *bus);

// What the program does with the pins as ports, and whether the I2C peripheral has them.
void i2c_bus_set_pins(struct i2c_bus *bus, uint64_t when, struct i2c_pulls pins);
void i2c_bus_connect_controller(struct i2c_bus *bus, uint64_t when, bool on);
void i2c_bus_set_stuck(struct i2c_bus *bus, uint64_t when, bool on);
void i2c_bus_set_channel_stuck(struct i2c_bus *bus, uint64_t when, unsigned chip, bool on);
// Something was done to a chip.
void i2c_bus_changed(struct i2c_bus *bus, uint64_t when);

// ---- What the controller does, once it is complete ----

// START or repeated START, with the period of SCL in cycles.
void i2c_bus_start(struct i2c_bus *bus, uint64_t asked, uint64_t period);
// A byte to the chips. Returns ACK, of any of them.
bool i2c_bus_write(struct i2c_bus *bus, uint64_t when, uint8_t byte);
// A byte that a chip begins to send.
uint8_t i2c_bus_read(struct i2c_bus *bus, uint64_t when);
// ... and has sent, as it was received.
void i2c_bus_has_read(struct i2c_bus *bus, uint8_t byte);
// The byte that a read would give next.
uint8_t i2c_bus_next_byte(const struct i2c_bus *bus, uint64_t when);
// For so long SCL is held low after an ACK.
uint64_t i2c_bus_stretch(const struct i2c_bus *bus);
// Pulses of SCL against an SDA that is held.
void i2c_bus_clock(struct i2c_bus *bus, unsigned clocks);
// The chips hold SDA until they have had so many.
void i2c_bus_hold(struct i2c_bus *bus, unsigned clocks);
void i2c_bus_stop(struct i2c_bus *bus, uint64_t when);
// The controller leaves the bus without STOP, of which the chips learn nothing.
void i2c_bus_abandon(struct i2c_bus *bus, uint64_t when);

#endif
