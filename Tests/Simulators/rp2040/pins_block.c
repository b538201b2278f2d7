#include "pins_block.h"

#include "gpio.h"

#include <string.h>

enum { MAGIC = 0, I2C = 5, SDA = 6, SCL = 7, ENABLE = 8, JUMPER = 16, ACTUATORS = 17, LED = 18 };

static const uint8_t magic[] = {'p', 'i', 'n', 's'};

// Pairs of consecutive pins belong alternately to I2C0 and I2C1 (datasheet 1.4.3).
static bool is_pair_of(uint8_t i2c, uint8_t sda, uint8_t scl) {
    return sda < GPIO_COUNT && scl == sda + 1 && sda % 2 == 0 && sda / 2 % 2 == i2c;
}

bool pins_block_read(const uint8_t *flash, struct pins_block *pins) {
    const uint8_t *block = &flash[PINS_BLOCK_OFFSET];
    pins->i2c = block[I2C];
    pins->sda = block[SDA];
    pins->scl = block[SCL];
    memcpy(pins->enable, &block[ENABLE], PINS_ACTUATORS);
    pins->jumper = block[JUMPER];
    pins->led = block[LED];
    bool is_right = memcmp(&block[MAGIC], magic, sizeof magic) == 0 && pins->i2c <= 1 &&
                    is_pair_of(pins->i2c, pins->sda, pins->scl) &&
                    (pins->jumper < GPIO_COUNT || pins->jumper == PINS_NONE) &&
                    (pins->led < GPIO_COUNT || pins->led == PINS_NONE);
    for (unsigned actuator = 0; actuator < PINS_ACTUATORS; actuator++) {
        is_right = is_right && pins->enable[actuator] < GPIO_COUNT;
    }
    return is_right;
}

void pins_block_set_actuators(uint8_t *flash, uint8_t actuators) {
    flash[PINS_BLOCK_OFFSET + ACTUATORS] = actuators;
}
