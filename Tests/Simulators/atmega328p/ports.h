// Ports B, C and D (datasheet section 14), and the connections of their pins: EN of the chips on
// PD4 to PD7 and PB0 to PB3, the LED on PB5, SDA and SCL on PC4 and PC5, a jumper to GND on PD2.
// Other inputs have nothing but their pull-up.
#ifndef PORTS_H
#define PORTS_H

#include "i2c_bus.h"
#include "lamp.h"
#include "mcu.h"

struct ports {
    struct mcu *mcu;
    struct i2c_bus *bus;
    struct lamp *lamp;
    const struct trace *trace;
    uint8_t enabled; // the levels of EN, a mask of chips: there are pull-downs
    bool has_jumper; // PD2 is connected to GND
};

void ports_init(struct ports *ports, struct mcu *mcu, struct i2c_bus *bus, struct lamp *lamp,
                const struct trace *trace);

// All pins are inputs, after mcu_reset.
void ports_reset(struct ports *ports);

#endif
