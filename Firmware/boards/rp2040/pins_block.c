/* The pins of a Raspberry Pi Pico. The pins are defined in a separate file, because a compiler that
   can see the value of a constant uses that value and ignores the value that `bridge flash` writes
   into the image. */
#include "../../protocol/bridge_protocol.h"
#include "pins.h"

__attribute__((section(".pins"), used)) const struct pins pins = {
    .magic = {'p', 'i', 'n', 's'},
    .board = BRIDGE_BOARD_PICO,
    .i2c = 0,
    .sda = SDA_GPIO,
    .scl = SCL_GPIO,
    .en = {EN0_GPIO, EN1_GPIO, EN2_GPIO, EN3_GPIO, 10, 11, 12,
           13}, /* the last four pins are not in the schematics */
    .jumper = 2,
    .actuators = 1,
    .led = 25,
    .reserved = PINS_NONE,
};
