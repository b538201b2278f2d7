/* An I2C register transfer that the core requests from a port. */
#ifndef BRIDGE_TRANSFER_H
#define BRIDGE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

struct bridge_transfer {
    uint8_t actuators; /**< mask of the actuators whose chips are accessed; a read accesses one
                          chip. The port connects the bus to these chips, for example with a
                          multiplexer. This field is not set in a build with one actuator */
    uint8_t reg;       /**< the number of the register */
    uint8_t value;     /**< the byte to write */
    bool is_read;
};

#endif
