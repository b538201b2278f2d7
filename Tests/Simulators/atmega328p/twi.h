// The two-wire interface as a single master (datasheet section 22); it is never addressed.
#ifndef TWI_H
#define TWI_H

#include "i2c_step.h"
#include "mcu.h"

// The state of the bus. A byte has two steps, to the middle of its ACK bit and to its end.
enum twi_step {
    TWI_RESTS,
    TWI_STARTS,
    TWI_SENDS,
    TWI_SENT, // with the ACK bit known
    TWI_RECEIVES,
    TWI_RECEIVED, // with the ACK bit decided
    TWI_STOPS,
    TWI_LOSES, // a byte against an SDA that is held low
};

struct twi {
    struct mcu *mcu;
    struct i2c_bus *bus;
    enum twi_step step;
    struct i2c_step timing; // of the step
    uint64_t byte_began;
    uint64_t scl_period;
    uint64_t asked; // cycle at which START was asked for
    bool owns_bus;
    bool is_address; // the next byte
    bool is_reading; // said the last address
    bool acknowledged;
    uint8_t shift_register;
};

void twi_init(struct twi *twi, struct mcu *mcu, struct schedule *schedule, struct i2c_bus *bus);

// Reset values, after mcu_reset. A transaction is abandoned.
void twi_reset(struct twi *twi);
void twi_power_off(struct twi *twi);

#endif
