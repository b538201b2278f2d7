/* The pins of a Raspberry Pi Pico. In a file of its own, because a compiler that sees the values of
   a constant would use them instead of those that `bridge flash` has written over them. */
#include "../../protocol/bridge_protocol.h"
#include "pins.h"

__attribute__((section(".pins"), used)) const struct pins pins = {
    .magic = {'p', 'i', 'n', 's'},
    .board = BRIDGE_BOARD_PICO,
    .i2c = 0,
    .sda = 4,
    .scl = 5,
    .en = {6, 7, 8, 9, 10, 11, 12, 13},
    .jumper = 2,
    .actuators = 1,
    .led = 25,
    .reserved = PINS_NONE,
};
