/* The I2C bus: the TWI at 400 or 100 kHz, driven by interrupts. */
#ifndef BUS_H
#define BUS_H

#include <stdbool.h>
#include <stdint.h>

/** Returns whether SDA and SCL are swapped at the chips. This function must be called before
    i2c_start, while EN is low. */
bool i2c_has_swapped_wires(void);

/** Frees the bus, which a chip may have been holding since before the reset, and starts the TWI. */
void i2c_start(void);

/** Starts the next transfer, and aborts a transfer that takes too long. */
void i2c_poll(uint32_t now_us);

/** Returns true if the bus and the clock have made progress since the last call: a transfer has
    ended, or no transfer was due. This function must be called in each round. */
bool i2c_consume_progress(uint16_t now_us);

#endif
