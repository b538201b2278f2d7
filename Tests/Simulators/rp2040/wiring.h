// The circuits at the RP2040's pins: EN of the chips, SDA and SCL, the LED, and a jumper to GND.
#ifndef WIRING_H
#define WIRING_H

#include "dw_i2c.h"
#include "lamp.h"
#include "pins_block.h"

struct wiring {
    struct machine *machine;
    struct i2c_bus *bus;
    struct lamp *lamp;
    struct dw_i2c *units; // an array of two elements
    struct pins_block pins;
    uint8_t enabled; // the mask of the chips whose EN is high; EN pins have pull-downs
    bool has_jumper; // true if the jumper is set
};

void wiring_init(struct wiring *wiring, struct machine *machine, struct i2c_bus *bus,
                 struct lamp *lamp, struct dw_i2c units[2]);

// Connects the circuits to the given pins.
void wiring_connect(struct wiring *wiring, const struct pins_block *pins);

#endif
