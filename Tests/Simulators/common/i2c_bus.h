// The two wires between the controller and the chips, which have pull-ups, and the current
// transaction on the wires. Either one chip is connected to the wires, or several chips behind a
// TCA9548A.
#ifndef I2C_BUS_H
#define I2C_BUS_H

#include "chip.h"
#include "tca9548a_model.h"
#include "vcd.h"

#define I2C_TRANSACTION_MAX 4096u

// Two flags, which are true if SCL or SDA is held low by a cause other than a chip.
struct i2c_pulls {
    bool scl;
    bool sda;
};

// A transaction that the ports send bit by bit.
struct i2c_port_transaction {
    bool is_open;
    bool acknowledges; // a chip pulls the data line low
    uint8_t clocks;    // the clocks of the current byte
    uint8_t byte;
};

struct i2c_bus {
    struct chip *chips; // all chips of the board
    unsigned count;     // if there are several chips, chip n is on channel n of the multiplexer
    struct tca9548a_model mux;
    struct accelerometer_model *sensor; // not behind the multiplexer; NULL if there is none
    const struct trace *trace;
    struct vcd *vcd; // the recorder of the wires
    // A function that is called when a wire may have been released or held.
    void (*changed)(void *owner, uint64_t when);
    void *owner;

    bool is_stuck;   // a fault holds SCL low
    bool is_weak;    // with weak pull-up resistors, no bit rises in time at 400 kHz
    bool is_garbled; // the current transaction has bits that did not rise in time, and therefore
                     // reaches no chip
    uint8_t stuck_channels; // the mask of the multiplexer's channels on which a fault holds SCL low
    bool has_controller;    // the I2C peripheral controls the pins, not the ports
    bool controller_holds_scl; // the I2C peripheral waits for the program
    struct i2c_pulls pins;     // the state of the ports, even while they are not connected
    bool is_swapped;           // a fault: SCL and SDA of the board are interchanged at the chips
    struct i2c_port_transaction ports;
    uint64_t stretched_until; // the time until which a chip holds SCL low

    // The current transaction.
    bool is_open;
    bool is_address; // the next byte is an address
    bool has_nack;
    uint8_t reached; // the mask of the chips that are reached
    uint64_t asked;  // the cycle at which the controller requested START
    uint16_t length;
    uint8_t bytes[I2C_TRANSACTION_MAX];
};

void i2c_bus_init(struct i2c_bus *bus, struct chip *chips, unsigned count,
                  const struct trace *trace, struct vcd *vcd);

// Switches the board's supply on or off.
void i2c_bus_set_power(struct i2c_bus *bus, bool on);

// ---- Levels ----

bool i2c_bus_scl(const struct i2c_bus *bus);
bool i2c_bus_sda(const struct i2c_bus *bus);
// Return true if a fault holds SCL low (is_stuck), or if a chip holds SDA low (is_held).
bool i2c_bus_is_stuck(const struct i2c_bus *bus);
bool i2c_bus_is_held(const struct i2c_bus *bus);

// Sets the levels of the pins as ports, or connects the I2C peripheral to them.
void i2c_bus_set_pins(struct i2c_bus *bus, uint64_t when, struct i2c_pulls pins);
void i2c_bus_connect_controller(struct i2c_bus *bus, uint64_t when, bool on);
void i2c_bus_set_stuck(struct i2c_bus *bus, uint64_t when, bool on);
void i2c_bus_set_channel_stuck(struct i2c_bus *bus, uint64_t when, unsigned chip, bool on);
// Updates the bus after an access to a chip that may have changed a wire.
void i2c_bus_changed(struct i2c_bus *bus, uint64_t when);

// ---- Actions of the controller, called at their end ----

// Sends START or a repeated START. `period` is the period of SCL in cycles.
void i2c_bus_start(struct i2c_bus *bus, uint64_t asked, uint64_t when, uint64_t period);
// Writes a byte to the chips. Returns true if a chip has acknowledged the byte.
bool i2c_bus_write(struct i2c_bus *bus, uint64_t when, uint8_t byte);
// Begins to read a byte from a chip.
uint8_t i2c_bus_read(struct i2c_bus *bus, uint64_t when);
// Ends the reading of a byte. `byte` is the value that was received.
void i2c_bus_has_read(struct i2c_bus *bus, uint8_t byte);
// Returns the byte that the next read will return.
uint8_t i2c_bus_next_byte(const struct i2c_bus *bus, uint64_t when);
// Returns the number of cycles for which SCL is held low after an ACK.
uint64_t i2c_bus_stretch(const struct i2c_bus *bus);
// Sends pulses of SCL while SDA is held.
void i2c_bus_clock(struct i2c_bus *bus, unsigned clocks);
// Causes the chips to hold SDA until they have received the given number of clocks.
void i2c_bus_hold(struct i2c_bus *bus, unsigned clocks);
void i2c_bus_stop(struct i2c_bus *bus, uint64_t when);
// Disconnects the controller from the bus without a STOP. The chips cannot detect the
// disconnection.
void i2c_bus_abandon(struct i2c_bus *bus, uint64_t when);

#endif
