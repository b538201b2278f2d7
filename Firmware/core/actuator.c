#include "actuator.h"

#include "bridge_bytes.h"
#include "bridge_flash.h"
#include "bridge_outline.h"
#include "drv2605_registers.h"

#define LEVEL_MIDDLE 128
#define LEVEL_FULL 255u

#define TAP_SHARP_MIN_US 1000
#define BRAKE_MIN_MS 10

static uint16_t word_at(const struct configuration *configuration, uint8_t offset) {
    return bridge_u16(&configuration->bytes[offset]);
}

bool configuration_is_unsigned(const struct configuration *configuration) {
    return !(configuration->bytes[CONFIGURATION_CONTROL2] & DRV2605_BIDIR_INPUT);
}

bool configuration_has_effects(const struct configuration *configuration) {
    return !configuration_is_unsigned(configuration) &&
           (configuration->bytes[CONFIGURATION_LIBRARY] & DRV2605_LIBRARY_SEL);
}

uint16_t configuration_tap_us(const struct configuration *configuration, uint8_t sharpness) {
    uint16_t dull = word_at(configuration, CONFIGURATION_TAP_DULL);
    uint16_t sharp = word_at(configuration, CONFIGURATION_TAP_SHARP);
    return (uint16_t)(dull - (uint32_t)(uint16_t)(dull - sharp) * sharpness / LEVEL_FULL);
}

/* ---- Checks (SPEC 8) ------------------------------------------------------------------- */

static struct configuration_fault fault(uint8_t code, uint8_t offset, uint16_t limit) {
    return (struct configuration_fault){.code = code, .offset = offset, .limit = limit};
}

static bool is_open_loop(const struct configuration *configuration) {
    uint8_t bit = configuration->bytes[CONFIGURATION_KIND] == BRIDGE_KIND_LRA
                      ? DRV2605_LRA_OPEN_LOOP
                      : DRV2605_ERM_OPEN_LOOP;
    return configuration->bytes[CONFIGURATION_CONTROL3] & bit;
}

/* The image must mean what kind and format say, and must not burn the one-time memory. */
static struct configuration_fault check_image(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t kind = bytes[CONFIGURATION_KIND];
    if (kind != BRIDGE_KIND_LRA && kind != BRIDGE_KIND_ERM) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_KIND, BRIDGE_KIND_LRA);
    }
    bool is_lra = bytes[CONFIGURATION_FEEDBACK] & DRV2605_N_ERM_LRA;
    if (is_lra != (kind == BRIDGE_KIND_LRA)) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_FEEDBACK, 0);
    }
    if (bytes[CONFIGURATION_CONTROL4] & DRV2605_OTP_PROGRAM) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_CONTROL4, 0);
    }
    bool is_unsigned = bytes[CONFIGURATION_CONTROL3] & DRV2605_DATA_FORMAT_RTP;
    if (is_unsigned != configuration_is_unsigned(configuration) ||
        (is_unsigned && is_open_loop(configuration))) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_CONTROL3, 0);
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

/* The register that sets a voltage, its steps in 0.01 mV (SLOS854D 8.5.2, DRV2605L; others differ
   by 3 % at most), and how much of rated or overdrive they may reach. */
#define OPEN_LOOP 0x80

static const struct voltage {
    uint8_t loop; /* the kind, and OPEN_LOOP */
    uint8_t reg;
    uint8_t nominal;
    uint8_t percent;
    uint16_t step;
} voltages[] BRIDGE_FLASH = {
    {BRIDGE_KIND_LRA, CONFIGURATION_RATED_VOLTAGE, CONFIGURATION_RATED, 100, 2058},
    {BRIDGE_KIND_ERM, CONFIGURATION_RATED_VOLTAGE, CONFIGURATION_RATED, 100, 2118},
    {BRIDGE_KIND_LRA, CONFIGURATION_OD_CLAMP, CONFIGURATION_OVERDRIVE, 100, 2122},
    {BRIDGE_KIND_ERM, CONFIGURATION_OD_CLAMP, CONFIGURATION_OVERDRIVE, 125, 2164},
    {BRIDGE_KIND_LRA | OPEN_LOOP, CONFIGURATION_OD_CLAMP, CONFIGURATION_RATED, 110, 2132},
    {BRIDGE_KIND_ERM | OPEN_LOOP, CONFIGURATION_OD_CLAMP, CONFIGURATION_RATED, 100, 2159},
};

/* In open loop OD_CLAMP is full scale, of which level_max is the most that is used. */
static struct configuration_fault check_voltages(const struct configuration *configuration) {
    if (word_at(configuration, CONFIGURATION_RATED) > BRIDGE_RATED_MV_MAX) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_RATED, BRIDGE_RATED_MV_MAX);
    }
    if (word_at(configuration, CONFIGURATION_OVERDRIVE) > BRIDGE_OVERDRIVE_MV_MAX) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_OVERDRIVE, BRIDGE_OVERDRIVE_MV_MAX);
    }
    uint8_t loop = configuration->bytes[CONFIGURATION_KIND];
    uint8_t level = LEVEL_FULL;
    if (is_open_loop(configuration)) {
        loop |= OPEN_LOOP;
        level = configuration->bytes[CONFIGURATION_LEVEL_MAX];
    }
    for (const struct voltage *each = voltages;
         each < voltages + sizeof voltages / sizeof voltages[0]; each++) {
        if (bridge_flash_byte(&each->loop) == loop) {
            uint8_t reg = bridge_flash_byte(&each->reg);
            uint16_t nominal = word_at(configuration, bridge_flash_byte(&each->nominal));
            uint16_t share = (uint16_t)(bridge_flash_byte(&each->percent) * LEVEL_FULL);
            uint32_t allowed = (uint32_t)nominal * share;
            uint32_t step = (uint32_t)bridge_flash_word(&each->step) * level;
            if (configuration->bytes[reg] * step > allowed) {
                return fault(BRIDGE_REJECT_LIMIT, reg, (uint16_t)(allowed / step));
            }
        }
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

static struct configuration_fault check_times_and_curve(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    uint16_t tap_sharp = word_at(configuration, CONFIGURATION_TAP_SHARP);
    if (tap_sharp < TAP_SHARP_MIN_US) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_TAP_SHARP, TAP_SHARP_MIN_US);
    }
    if (word_at(configuration, CONFIGURATION_TAP_DULL) < tap_sharp) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_TAP_DULL, tap_sharp);
    }
    if (bytes[CONFIGURATION_BRAKE] < BRAKE_MIN_MS) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_BRAKE, BRAKE_MIN_MS);
    }
    if (bytes[CONFIGURATION_CURVE_MID] < bytes[CONFIGURATION_CURVE_LOW]) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_CURVE_MID, bytes[CONFIGURATION_CURVE_LOW]);
    }
    if (bytes[CONFIGURATION_CURVE_HIGH] < bytes[CONFIGURATION_CURVE_MID]) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_CURVE_HIGH, bytes[CONFIGURATION_CURVE_MID]);
    }
    if (bytes[CONFIGURATION_LEVEL_MAX] == 0) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_LEVEL_MAX, 1);
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

struct configuration_fault configuration_check(const struct configuration *configuration) {
    struct configuration_fault found = check_image(configuration);
    if (!found.code) {
        found = check_voltages(configuration);
    }
    return found.code ? found : check_times_and_curve(configuration);
}

/* ---- Levels (SPEC 6, 8) ---------------------------------------------------------------- */

void actuator_init(struct actuator *actuator) {
    *actuator = (struct actuator){.gain = LEVEL_FULL, .health = DRV2605_REG_MODE};
}

/* (level x gain) / 255, rounded half up: exact, and without a division. */
uint8_t actuator_share(uint8_t level, uint8_t gain) {
    uint16_t product = (uint16_t)((uint16_t)level * gain + 128);
    return (uint8_t)((uint16_t)(product + (product >> 8)) >> 8);
}

/* Linear between the curve's points, rounded half up: exact, and without a division. The first
   stretch has 128 steps; of one with 127 an integer has that much more. */
static uint8_t curved(const struct configuration *configuration, uint8_t level) {
    const uint8_t *curve = &configuration->bytes[CONFIGURATION_CURVE_LOW];
    bool is_high = level > LEVEL_MIDDLE;
    if (is_high) {
        level = (uint8_t)(level - LEVEL_MIDDLE);
        curve++;
    }
    uint16_t rise = (uint16_t)((uint16_t)(uint8_t)(curve[1] - curve[0]) * level + 64);
    if (is_high) {
        rise = (uint16_t)(rise + (rise >> 7) + (rise >> 14));
    }
    return (uint8_t)(curve[0] + (rise >> 7));
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
    return configuration_is_unsigned(configuration) ? value : value / 2;
}
