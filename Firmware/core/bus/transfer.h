/* One I2C register transfer, as the core asks a port for it. */
#ifndef BRIDGE_TRANSFER_H
#define BRIDGE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

struct bridge_transfer {
    uint8_t actuators; /**< mask of the actuators whose chips it accesses; a read accesses one. The
                          port connects the bus to them, for example by a multiplexer. Not set where
                          there is one actuator */
    uint8_t reg;       /**< the number of the register */
    uint8_t value;     /**< the byte to write */
    bool is_read;
};

#endif
