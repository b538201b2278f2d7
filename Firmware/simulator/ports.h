// Ports B, C and D (datasheet section 14), and what hangs on their pins: EN on PD4, SDA and SCL on
// PC4 and PC5. Other inputs have nothing but their pull-up.
#ifndef PORTS_H
#define PORTS_H

#include "i2c_bus.h"
#include "mcu.h"

struct ports {
    struct mcu *mcu;
    struct i2c_bus *bus;
    const struct trace *trace;
    bool enable; // the level of EN: there is a pull-down
};

void ports_init(struct ports *ports, struct mcu *mcu, struct i2c_bus *bus,
                const struct trace *trace);

// All pins are inputs, after mcu_reset.
void ports_reset(struct ports *ports);

#endif
