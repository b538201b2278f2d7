// The two-wire interface (datasheet section 22) as the only master on the bus. The interface is
// never addressed as a slave.
#ifndef TWI_H
#define TWI_H

#include "i2c_step.h"
#include "mcu.h"

// The states of the bus. A byte has two steps. The first step ends in the middle of the ACK bit,
// and the second step ends at the end of the byte.
enum twi_step {
    TWI_RESTS,
    TWI_STARTS,
    TWI_SENDS,
    TWI_SENT, // until the ACK bit is known
    TWI_RECEIVES,
    TWI_RECEIVED, // until the ACK bit is determined
    TWI_STOPS,
    TWI_LOSES, // a byte is sent while a chip holds SDA low
};

struct twi {
    struct mcu *mcu;
    struct i2c_bus *bus;
    enum twi_step step;
    struct i2c_step timing; // the remaining time of the current step
    uint64_t byte_began;
    uint64_t scl_period;
    uint64_t asked; // the cycle at which the program requested START
    bool owns_bus;
    bool is_address; // the next byte is an address
    bool is_reading; // the direction that the last address has set
    bool acknowledged;
    uint8_t shift_register;
};

void twi_init(struct twi *twi, struct mcu *mcu, struct schedule *schedule, struct i2c_bus *bus);

// Sets the reset values, and abandons a transaction in progress. This function must be called after
// mcu_reset.
void twi_reset(struct twi *twi);
void twi_power_off(struct twi *twi);

#endif
