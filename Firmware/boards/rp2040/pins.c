#include "pins.h"

#include "rp2040.h"

#define LOOKS 255

static void use(uint8_t gpio, uint32_t pad) {
    PADS_BANK0(gpio) = pad | PADS_DRIVE_4MA | PADS_SCHMITT;
    IO_BANK0_CTRL(gpio) = IO_FUNCSEL_SIO;
}

bool pins_are_valid(void) {
    bool valid = pins.i2c <= 1 && pins.sda < GPIO_COUNT && pins.scl < GPIO_COUNT &&
                 pins.sda != pins.scl && pins.actuators >= 1 && pins.actuators <= PINS_ACTUATORS &&
                 (pins.jumper < GPIO_COUNT || pins.jumper == PINS_NONE);
    for (uint8_t actuator = 0; valid && actuator < pins.actuators; actuator++) {
        uint8_t en = pins.en[actuator];
        valid = en < GPIO_COUNT && en != pins.sda && en != pins.scl && en != pins.jumper;
    }
    return valid;
}

void pins_start(void) {
    resets_cycle(RESETS_IO_BANK0 | RESETS_PADS_BANK0);
    for (uint8_t actuator = 0; actuator < pins.actuators; actuator++) {
        uint32_t gpio = 1u << pins.en[actuator];
        SIO_GPIO_OUT_CLR = gpio;
        SIO_GPIO_OE_SET = gpio;
        use(pins.en[actuator], PADS_PDE);
    }
    if (pins.jumper != PINS_NONE) {
        SIO_GPIO_OE_CLR = 1u << pins.jumper;
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
