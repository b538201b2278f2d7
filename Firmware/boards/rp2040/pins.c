#include "pins.h"

#include "rp2040.h"

#define SAMPLES 255

static void use(uint8_t gpio, uint32_t pad) {
    PADS_BANK0(gpio) = pad | PADS_DRIVE_4MA | PADS_SCHMITT;
    IO_BANK0_CTRL(gpio) = IO_FUNCSEL_SIO;
}

static void start_output(uint8_t gpio) {
    SIO_GPIO_OUT_CLR = 1u << gpio;
    SIO_GPIO_OE_SET = 1u << gpio;
    use(gpio, PADS_PDE);
}

/* True for a pin that neither the bus nor the jumper uses. */
static bool is_free(uint8_t gpio) {
    return gpio < GPIO_COUNT && gpio != pins.sda && gpio != pins.scl && gpio != pins.jumper;
}

bool pins_are_valid(void) {
    bool valid = pins.i2c <= 1 && pins.sda < GPIO_COUNT && pins.scl < GPIO_COUNT &&
                 pins.sda != pins.scl && pins.actuators >= 1 && pins.actuators <= PINS_ACTUATORS &&
                 (pins.jumper < GPIO_COUNT || pins.jumper == PINS_NONE) &&
                 (pins.led == PINS_NONE || is_free(pins.led));
    for (uint8_t actuator = 0; valid && actuator < pins.actuators; actuator++) {
        uint8_t en = pins.en[actuator];
        valid = is_free(en) && en != pins.led;
    }
    return valid;
}

void pins_start(void) {
    resets_cycle(RESETS_IO_BANK0 | RESETS_PADS_BANK0);
    for (uint8_t actuator = 0; actuator < pins.actuators; actuator++) {
        start_output(pins.en[actuator]);
    }
    if (pins.led != PINS_NONE) {
        start_output(pins.led);
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

void pins_set_light(bool on) {
    if (pins.led == PINS_NONE) {
        return;
    }
    if (on) {
        SIO_GPIO_OUT_SET = 1u << pins.led;
    } else {
        SIO_GPIO_OUT_CLR = 1u << pins.led;
    }
}

bool pins_jumper_is_set(void) {
    if (pins.jumper == PINS_NONE) {
        return false;
    }
    for (uint8_t sample = 0; sample < SAMPLES; sample++) {
        if (SIO_GPIO_IN >> pins.jumper & 1) {
            return false;
        }
    }
    return true;
}
