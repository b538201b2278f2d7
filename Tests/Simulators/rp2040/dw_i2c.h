// I2C0 or I2C1: Synopsys DW_apb_i2c (datasheet 4.3) as the only master, in fast mode.
#ifndef DW_I2C_H
#define DW_I2C_H

#include "i2c_step.h"
#include "machine.h"

#define DW_I2C_FIFO 16u

// The states of the bus. A byte has two steps. The first step ends in the middle of the ACK bit,
// and the second step ends at the end of the byte.
enum dw_i2c_step {
    DW_I2C_RESTS,
    DW_I2C_STARTS,
    DW_I2C_SENDS,
    DW_I2C_SENT, // the second half of the received ACK bit
    DW_I2C_RECEIVES,
    DW_I2C_RECEIVED, // the second half of the ACK bit that the unit sends
    DW_I2C_WAITS,    // holds SCL low until there is another command
    DW_I2C_RESTARTS,
    DW_I2C_STOPS,
    DW_I2C_FREES,       // the time between STOP and START
    DW_I2C_LOSES,       // a byte is sent while a chip holds SDA low
    DW_I2C_LOSES_START, // START is sent while a chip holds SDA low
};

struct dw_i2c_command {
    uint16_t value; // the commands as written to IC_DATA_CMD
    uint64_t when;
};

struct dw_i2c {
    struct machine *machine;
    struct i2c_bus *bus;
    const char *name;
    enum irq irq;
    bool has_pins; // SDA and SCL of the board are connected to this unit

    // Registers.
    uint32_t control;
    uint32_t target;
    uint32_t high_count;
    uint32_t low_count;
    uint32_t spike_length;
    uint32_t hold;
    uint32_t mask;
    uint32_t raw; // without the interrupts for FIFO levels
    uint32_t abort_source;
    uint32_t receive_threshold;
    uint32_t transmit_threshold;
    bool is_enabled;

    struct dw_i2c_command commands[DW_I2C_FIFO];
    uint32_t command_count;
    uint8_t received[DW_I2C_FIFO];
    uint32_t received_count;

    // The current transfer.
    enum dw_i2c_step step;
    struct i2c_step timing;
    struct dw_i2c_command command; // the command that is being executed
    bool owns_bus;
    bool is_address; // the byte on the bus is an address
    bool is_reading; // the direction that the last address has set
    bool acknowledged;
    bool is_aborted; // a STOP follows
    uint8_t shift_register;
    uint64_t byte_began;
};

void dw_i2c_init(struct dw_i2c *i2c, struct machine *machine, struct i2c_bus *bus, unsigned number);

// Connects the pins to this unit, or disconnects them.
void dw_i2c_connect(struct dw_i2c *i2c, bool has_pins);

// Simulates a disturbance on the pins. If the unit is connected to the pins, it detects the
// disturbance as a STOP.
void dw_i2c_disturb(struct dw_i2c *i2c);

// Notifies the unit that a wire of the bus may have been released or held.
void dw_i2c_bus_changed(struct dw_i2c *i2c, uint64_t when);

#endif
