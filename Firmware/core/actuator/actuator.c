#include "actuator.h"

#include "../driver/driver.h"
#include "../support/compiler.h"

#define LEVEL_MIDDLE 128
#define LEVEL_FULL 255u

void actuator_init(struct actuator *actuator) {
    actuator->gain = LEVEL_FULL;
    actuator->driven_us = (driven_time)BRIDGE_CLOCK_AT_BOOT;
    actuator->heat_us = (driven_time)BRIDGE_CLOCK_AT_BOOT;
}

/* Computes (level x gain) / 255, rounded half up. The result is exact, and no division is
   needed. */
BRIDGE_NOINLINE uint8_t actuator_share(uint8_t level, uint8_t gain) {
    uint16_t product = (uint16_t)((uint16_t)level * gain + 128);
    return (uint8_t)((uint16_t)(product + (product >> 8)) >> 8);
}

/* Returns the value of the curve at a level, rounded half up. The curve is linear between its three
   points. The result is exact, and no division is needed. The rise is computed in units of 1/256,
   so that its high byte is the integer part. The first segment has 128 steps. The second segment
   has only 127 steps, so each step is larger by 1/127; this addition is made at the end. */
static uint8_t curved(const struct configuration *configuration, uint8_t level) {
    const uint8_t *curve = &configuration->bytes[CONFIGURATION_CURVE_LOW];
    bool is_high = level > LEVEL_MIDDLE;
    if (is_high) {
        level = (uint8_t)(level - LEVEL_MIDDLE);
        curve++;
    }
    uint16_t rise = (uint16_t)((uint8_t)(curve[1] - curve[0]) * level);
    rise = (uint16_t)(2 * rise + 128);
    if (is_high) {
        uint8_t whole = (uint8_t)(rise >> 8);
        rise = (uint16_t)(rise + 2u * whole + 2u * (whole >> 7));
    }
    return (uint8_t)(curve[0] + (rise >> 8));
}

uint8_t actuator_value(const struct actuator *actuator, uint8_t level) {
    const struct configuration *configuration = &actuator->configuration;
    uint8_t scaled = actuator->is_muted ? 0 : actuator_share(level, actuator->gain);
    if (scaled == 0) {
        return 0;
    }
    uint8_t value = curved(configuration, scaled);
    uint8_t most = configuration->bytes[CONFIGURATION_LEVEL_MAX];
    value = value < most ? value : most;
    most = configuration->bytes[CONFIGURATION_SUSTAINED];
    if (actuator->is_over_budget && value > most) {
        value = most;
    }
    return driver_takes_8_bits(configuration) ? value : value / 2;
}
