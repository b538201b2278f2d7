// The two wires between the ATmega328P and the chip, with pull-ups; who holds them low, and the
// transaction that is on them.
#ifndef I2C_BUS_H
#define I2C_BUS_H

#include "chip.h"

#define I2C_TRANSACTION_MAX 4096u

// Who pulls a wire low besides the chip.
struct i2c_pulls {
    bool scl;
    bool sda;
};

struct i2c_bus {
    struct chip *chip;
    const struct trace *trace;
    // Called when a wire may have become free or not.
    void (*changed)(void *owner, uint64_t when);
    void *owner;

    bool is_stuck;            // a fault holds SCL low
    bool has_twi;             // the TWI has the pins, not the ports (22.5.1)
    bool twi_holds_scl;       // ... and waits for the program
    struct i2c_pulls pins;    // what the ports do, heeded or not
    uint64_t stretched_until; // the chip holds SCL low

    // The transaction.
    bool is_open;
    bool is_address; // the next byte
    bool has_nack;
    uint64_t asked; // cycle at which START was asked for
    uint16_t length;
    uint8_t bytes[I2C_TRANSACTION_MAX];
};

void i2c_bus_init(struct i2c_bus *bus, struct chip *chip, const struct trace *trace);

// ---- Levels ----

bool i2c_bus_scl(const struct i2c_bus *bus);
bool i2c_bus_sda(const struct i2c_bus *bus);

// What the program does with the pins as ports.
void i2c_bus_set_pins(struct i2c_bus *bus, uint64_t when, struct i2c_pulls pins);
// TWEN.
void i2c_bus_connect_twi(struct i2c_bus *bus, uint64_t when, bool on);
void i2c_bus_set_stuck(struct i2c_bus *bus, uint64_t when, bool on);
// Something was done to the chip.
void i2c_bus_changed(struct i2c_bus *bus, uint64_t when);

// ---- What the TWI does, once it is complete ----

// START or repeated START.
void i2c_bus_start(struct i2c_bus *bus, uint64_t asked);
// A byte to the chip. Returns ACK.
bool i2c_bus_write(struct i2c_bus *bus, uint64_t when, uint8_t byte);
// A byte that the chip begins to send.
uint8_t i2c_bus_read(struct i2c_bus *bus, uint64_t when);
// ... and has sent, as it was received.
void i2c_bus_has_read(struct i2c_bus *bus, uint8_t byte);
void i2c_bus_stop(struct i2c_bus *bus, uint64_t when);
// The TWI leaves the bus without STOP, of which the chip learns nothing.
void i2c_bus_abandon(struct i2c_bus *bus, uint64_t when);

#endif
