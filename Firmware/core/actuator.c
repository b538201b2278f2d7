#include "actuator.h"

#include "bridge_bytes.h"
#include "bridge_flash.h"
#include "bridge_outline.h"
#include "drv2605.h"

#define LEVEL_MIDDLE 128
#define LEVEL_FULL 255u

static uint16_t word_at(const struct configuration *configuration, uint8_t offset) {
    return bridge_u16(&configuration->bytes[offset]);
}

bool configuration_is_unsigned(const struct configuration *configuration) {
    return !(configuration->bytes[CONFIGURATION_CONTROL2] & DRV2605_BIDIR_INPUT);
}

/* Shorter than a dull tap by a share of what a sharp one is shorter: in 65535ths, and 65536ths are
   so near them that it is rounded to a microsecond, or the next. */
BRIDGE_OUTLINE uint16_t configuration_tap_us(const struct configuration *configuration,
                                             uint8_t sharpness) {
    uint16_t dull = word_at(configuration, CONFIGURATION_TAP_DULL);
    uint16_t sharp = word_at(configuration, CONFIGURATION_TAP_SHARP);
    uint16_t share = (uint16_t)(sharpness * 257u);
    uint32_t shorter = (uint32_t)(uint16_t)(dull - sharp) * share + 0x8000;
    return (uint16_t)(dull - (shorter >> 16));
}

/* ---- Levels (SPEC 6, 8) ---------------------------------------------------------------- */

void actuator_init(struct actuator *actuator) {
    actuator->gain = LEVEL_FULL;
    actuator->heat_due = drv2605_time(BRIDGE_CLOCK_AT_BOOT);
}

/* (level x gain) / 255, rounded half up: exact, and without a division. */
uint8_t actuator_share(uint8_t level, uint8_t gain) {
    uint16_t product = (uint16_t)((uint16_t)level * gain + 128);
    return (uint8_t)((uint16_t)(product + (product >> 8)) >> 8);
}

/* Linear between the curve's points, rounded half up: exact, and without a division. In 256ths, so
   that the whole is a byte: the first stretch has 128 steps; of one with 127 it has that much more.
 */
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
    actuator = BRIDGE_HELD(actuator);
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
    return configuration_is_unsigned(configuration) ? value : value / 2;
}
