// Ports B, C and D (datasheet section 14), and the connections of their pins: EN of the chips to
// PD4 to PD7 and PB0 to PB3, the LED to PB5, SDA and SCL to PC4 and PC5, and a jumper from PD2 to
// GND. Nothing is connected to the other pins: as inputs, they have only their pull-up.
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
    uint8_t enabled; // the mask of the chips whose EN is high; EN pins have pull-downs
    bool has_jumper; // true if PD2 is connected to GND
};

void ports_init(struct ports *ports, struct mcu *mcu, struct i2c_bus *bus, struct lamp *lamp,
                const struct trace *trace);

// Makes all pins inputs. This function must be called after mcu_reset.
void ports_reset(struct ports *ports);

#endif
