/* The pins of a Raspberry Pi Pico. They have a file of their own, because a compiler that knows the
   value of a constant uses it instead of the value that `bridge flash` has written to the image. */
#include "../../protocol/bridge_protocol.h"
#include "pins.h"

__attribute__((section(".pins"), used)) const struct pins pins = {
    .magic = {'p', 'i', 'n', 's'},
    .board = BRIDGE_BOARD_PICO,
    .i2c = 0,
    .sda = SDA_GPIO,
    .scl = SCL_GPIO,
    .en = {EN0_GPIO, EN1_GPIO, EN2_GPIO, EN3_GPIO, 10, 11, 12,
           13}, /* the last four are not in the schematics */
    .jumper = 2,
    .actuators = 1,
    .led = 25,
    .reserved = PINS_NONE,
};
