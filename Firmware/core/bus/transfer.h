/* An I2C register transfer that the core requests from a port. */
#ifndef BRIDGE_TRANSFER_H
#define BRIDGE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "../support/limits.h"

struct bridge_transfer {
    uint8_t actuators; /**< mask of the actuators whose chips are accessed; a read accesses one
                          chip. The port connects the bus to these chips, for example with a
                          multiplexer. This field is not set in a build with one actuator */
    uint8_t reg;       /**< the number of the register */
    uint8_t value;     /**< the byte to write */
    bool is_read;
#if BRIDGE_SENSOR
    uint8_t address_byte; /**< the address of the chip, as sent for a write */
    uint8_t count; /**< number of bytes that are still to be read, at least 1. The port stores each
                      byte except the last at `bytes`, increments `bytes`, and decrements `count`;
                      it reports the last byte when the transfer ends */
    uint8_t *bytes;
#endif
};

#endif
