/* One I2C register transfer, as the core asks a port for it. */
#ifndef BRIDGE_BUS_H
#define BRIDGE_BUS_H

#include <stdbool.h>
#include <stdint.h>

struct bridge_transfer {
    uint8_t actuators; /**< mask of the chips, of several only to write: how the bus leads to them
                            is the port's business. Not told where there is one */
    uint8_t reg;
    uint8_t value; /**< to write */
    bool is_read;
};

#endif
