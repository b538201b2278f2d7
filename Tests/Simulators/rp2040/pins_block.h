// The block of an image that lists the pins of the board. The simulator connects its circuits to
// these pins.
#ifndef PINS_BLOCK_H
#define PINS_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define PINS_BLOCK_OFFSET 0x200u // in flash
#define PINS_ACTUATORS 8u
#define PINS_NONE 0xFFu

struct pins_block {
    uint8_t i2c; // 0 or 1
    uint8_t sda; // a GPIO number, like the members below
    uint8_t scl;
    uint8_t enable[PINS_ACTUATORS];
    uint8_t jumper; // PINS_NONE if there is no jumper
    uint8_t led;    // PINS_NONE if there is no LED
};

// Reads the block. Returns false if the image has no such block, or a block with invalid pins.
bool pins_block_read(const uint8_t *flash, struct pins_block *pins);
// Writes the number of actuators into the block.
void pins_block_set_actuators(uint8_t *flash, uint8_t actuators);

#endif
