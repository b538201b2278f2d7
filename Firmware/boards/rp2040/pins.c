#include "pins.h"

#include "../../protocol/bridge_protocol.h"
#include "rp2040.h"

#define LOOKS 255

/* Used, because the image is linked by sections; in a section of its own, whose address is fixed. */
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

static void use(uint8_t gpio, uint32_t pad) {
    PADS_BANK0(gpio) = pad | PADS_DRIVE_4MA | PADS_SCHMITT;
    IO_BANK0_CTRL(gpio) = IO_FUNCSEL_SIO;
}

void pins_start(void) {
    resets_cycle(RESETS_IO_BANK0 | RESETS_PADS_BANK0);
    for (uint8_t actuator = 0; actuator < pins.actuators; actuator++) {
        uint8_t gpio = pins.en[actuator];
        SIO_GPIO_OUT_CLR = 1u << gpio;
        SIO_GPIO_OE_SET = 1u << gpio;
        use(gpio, PADS_PDE);
    }
    if (pins.jumper != PINS_NONE) {
        use(pins.jumper, PADS_IE | PADS_PUE);
    }
}

void pins_set_driver(uint16_t enabled) {
    uint32_t high = 0;
    uint32_t low = 0;
    for (uint8_t actuator = 0; actuator < pins.actuators; actuator++) {
        uint32_t gpio = 1u << pins.en[actuator];
        if (enabled >> actuator & 1) {
            high |= gpio;
        } else {
            low |= gpio;
        }
    }
    SIO_GPIO_OUT_CLR = low;
    SIO_GPIO_OUT_SET = high;
}

bool pins_jumper_is_set(void) {
    if (pins.jumper == PINS_NONE) {
        return false;
    }
    for (uint8_t look = 0; look < LOOKS; look++) {
        if (SIO_GPIO_IN >> pins.jumper & 1) {
            return false;
        }
    }
    return true;
}
