#include "actuator.h"

#include "bridge_bytes.h"
#include "drv2605_registers.h"

#define LEVEL_MIDDLE 128
#define LEVEL_FULL 255

/* Full scale of a register step in 0.01 mV, SLOS854D 8.5.2 (DRV2605L; others differ by 3 % at most)
 */
#define RATED_LRA 2058u
#define RATED_ERM 2118u
#define CLAMP_LRA 2122u
#define CLAMP_ERM 2164u
#define OPEN_LRA 2132u
#define OPEN_ERM 2159u

/* How much of rated or overdrive each may reach (SPEC 8). */
#define CLAMP_LRA_PERCENT 100ul
#define CLAMP_ERM_PERCENT 125ul
#define OPEN_LRA_PERCENT 110ul
#define OPEN_ERM_PERCENT 100ul

#define TAP_SHARP_MIN_US 1000u
#define BRAKE_MIN_MS 10

static uint8_t byte_at(const struct configuration *configuration, uint8_t offset) {
    return configuration->bytes[offset];
}

static uint16_t word_at(const struct configuration *configuration, uint8_t offset) {
    return bridge_u16(&configuration->bytes[offset]);
}

static uint8_t image_at(const struct configuration *configuration, uint8_t reg) {
    uint8_t index = reg == DRV2605_REG_LIBRARY ? 0 : (uint8_t)(reg - DRV2605_REG_RATED_VOLTAGE + 1);
    return configuration->bytes[CONFIGURATION_IMAGE + index];
}

static uint8_t image_offset(uint8_t reg) {
    return (uint8_t)(CONFIGURATION_IMAGE + 1 + reg - DRV2605_REG_RATED_VOLTAGE);
}

static bool is_lra(const struct configuration *configuration) {
    return byte_at(configuration, CONFIGURATION_KIND) == BRIDGE_KIND_LRA;
}

static bool is_open_loop(const struct configuration *configuration) {
    uint8_t bit = is_lra(configuration) ? DRV2605_LRA_OPEN_LOOP : DRV2605_ERM_OPEN_LOOP;
    return image_at(configuration, DRV2605_REG_CONTROL3) & bit;
}

bool configuration_is_unsigned(const struct configuration *configuration) {
    return !(image_at(configuration, DRV2605_REG_CONTROL2) & DRV2605_BIDIR_INPUT);
}

bool configuration_has_effects(const struct configuration *configuration) {
    return !configuration_is_unsigned(configuration) &&
           (image_at(configuration, DRV2605_REG_LIBRARY) & DRV2605_LIBRARY_SEL);
}

uint32_t configuration_tap_us(const struct configuration *configuration, uint8_t sharpness) {
    uint32_t dull = word_at(configuration, CONFIGURATION_TAP_DULL);
    uint32_t sharp = word_at(configuration, CONFIGURATION_TAP_SHARP);
    return dull - (dull - sharp) * sharpness / LEVEL_FULL;
}

static struct configuration_fault fault(uint8_t code, uint8_t offset, uint32_t limit) {
    return (struct configuration_fault){.code = code, .offset = offset, .limit = limit};
}

static struct configuration_fault good(void) { return fault(BRIDGE_REJECT_NONE, 0, 0); }

/* The image must mean what kind and format say, and must not burn the one-time memory. */
static struct configuration_fault check_image(const struct configuration *configuration) {
    uint8_t kind = byte_at(configuration, CONFIGURATION_KIND);
    if (kind != BRIDGE_KIND_LRA && kind != BRIDGE_KIND_ERM) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_KIND, BRIDGE_KIND_LRA);
    }
    bool lra_bit = image_at(configuration, DRV2605_REG_FEEDBACK) & DRV2605_N_ERM_LRA;
    if (lra_bit != is_lra(configuration)) {
        return fault(BRIDGE_REJECT_RANGE, image_offset(DRV2605_REG_FEEDBACK), 0);
    }
    if (image_at(configuration, DRV2605_REG_CONTROL4) & DRV2605_OTP_PROGRAM) {
        return fault(BRIDGE_REJECT_RANGE, image_offset(DRV2605_REG_CONTROL4), 0);
    }
    bool unsigned_input = image_at(configuration, DRV2605_REG_CONTROL3) & DRV2605_DATA_FORMAT_RTP;
    bool is_unsigned = configuration_is_unsigned(configuration);
    if (unsigned_input != is_unsigned || (is_unsigned && is_open_loop(configuration))) {
        return fault(BRIDGE_REJECT_RANGE, image_offset(DRV2605_REG_CONTROL3), 0);
    }
    return good();
}

/* A register may count to `most` steps. */
static struct configuration_fault check_register(const struct configuration *configuration,
                                                 uint8_t reg, uint32_t most) {
    return image_at(configuration, reg) <= most
               ? good()
               : fault(BRIDGE_REJECT_LIMIT, image_offset(reg), most);
}

/* In open loop OD_CLAMP is full scale, of which level_max is the most that is used. */
static struct configuration_fault check_open_loop(const struct configuration *configuration) {
    uint32_t allowed = word_at(configuration, CONFIGURATION_RATED) *
                       (is_lra(configuration) ? OPEN_LRA_PERCENT : OPEN_ERM_PERCENT);
    uint32_t step = is_lra(configuration) ? OPEN_LRA : OPEN_ERM;
    uint32_t level_max = byte_at(configuration, CONFIGURATION_LEVEL_MAX);
    return check_register(configuration, DRV2605_REG_OD_CLAMP,
                          level_max ? allowed * LEVEL_FULL / (step * level_max) : LEVEL_FULL);
}

static struct configuration_fault check_closed_loop(const struct configuration *configuration) {
    bool lra = is_lra(configuration);
    uint32_t rated = word_at(configuration, CONFIGURATION_RATED) * 100ul;
    uint32_t overdrive = word_at(configuration, CONFIGURATION_OVERDRIVE) *
                         (lra ? CLAMP_LRA_PERCENT : CLAMP_ERM_PERCENT);
    struct configuration_fault found = check_register(configuration, DRV2605_REG_RATED_VOLTAGE,
                                                      rated / (lra ? RATED_LRA : RATED_ERM));
    return found.code ? found
                      : check_register(configuration, DRV2605_REG_OD_CLAMP,
                                       overdrive / (lra ? CLAMP_LRA : CLAMP_ERM));
}

static struct configuration_fault check_voltages(const struct configuration *configuration) {
    if (word_at(configuration, CONFIGURATION_RATED) > BRIDGE_RATED_MV_MAX) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_RATED, BRIDGE_RATED_MV_MAX);
    }
    if (word_at(configuration, CONFIGURATION_OVERDRIVE) > BRIDGE_OVERDRIVE_MV_MAX) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_OVERDRIVE, BRIDGE_OVERDRIVE_MV_MAX);
    }
    return is_open_loop(configuration) ? check_open_loop(configuration)
                                       : check_closed_loop(configuration);
}

static struct configuration_fault check_times(const struct configuration *configuration) {
    uint32_t dull = word_at(configuration, CONFIGURATION_TAP_DULL);
    uint32_t sharp = word_at(configuration, CONFIGURATION_TAP_SHARP);
    if (sharp < TAP_SHARP_MIN_US) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_TAP_SHARP, TAP_SHARP_MIN_US);
    }
    if (dull < sharp) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_TAP_DULL, sharp);
    }
    if (byte_at(configuration, CONFIGURATION_BRAKE) < BRAKE_MIN_MS) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_BRAKE, BRAKE_MIN_MS);
    }
    return good();
}

static struct configuration_fault check_curve(const struct configuration *configuration) {
    uint8_t low = byte_at(configuration, CONFIGURATION_CURVE_LOW);
    uint8_t mid = byte_at(configuration, CONFIGURATION_CURVE_MID);
    uint8_t high = byte_at(configuration, CONFIGURATION_CURVE_HIGH);
    if (mid < low) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_CURVE_MID, low);
    }
    if (high < mid) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_CURVE_HIGH, mid);
    }
    if (byte_at(configuration, CONFIGURATION_LEVEL_MAX) == 0) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_LEVEL_MAX, 1);
    }
    return good();
}

struct configuration_fault configuration_check(const struct configuration *configuration) {
    struct configuration_fault (*const checks[])(const struct configuration *) = {
        check_image,
        check_voltages,
        check_times,
        check_curve,
    };
    for (uint8_t index = 0; index < sizeof checks / sizeof checks[0]; index++) {
        struct configuration_fault found = checks[index](configuration);
        if (found.code) {
            return found;
        }
    }
    return good();
}

void actuator_init(struct actuator *actuator) { *actuator = (struct actuator){.gain = LEVEL_FULL}; }

/* Linear from `from` to `to` as `part` goes from 0 to `whole`; exact at both ends. */
static uint8_t between(uint8_t from, uint8_t to, uint8_t part, uint8_t whole) {
    uint16_t rise = (uint16_t)((uint16_t)(to - from) * part + whole / 2);
    return (uint8_t)(from + rise / whole);
}

static uint8_t curved(const struct configuration *configuration, uint8_t level) {
    uint8_t mid = byte_at(configuration, CONFIGURATION_CURVE_MID);
    if (level <= LEVEL_MIDDLE) {
        return between(byte_at(configuration, CONFIGURATION_CURVE_LOW), mid, level, LEVEL_MIDDLE);
    }
    return between(mid, byte_at(configuration, CONFIGURATION_CURVE_HIGH),
                   (uint8_t)(level - LEVEL_MIDDLE), LEVEL_FULL - LEVEL_MIDDLE);
}

uint8_t actuator_value(const struct actuator *actuator, uint8_t level) {
    uint8_t gain = actuator->is_muted ? 0 : actuator->gain;
    uint8_t scaled = (uint8_t)(((uint16_t)level * gain + LEVEL_FULL / 2) / LEVEL_FULL);
    if (scaled == 0) {
        return 0;
    }
    uint8_t value = curved(&actuator->configuration, scaled);
    uint8_t most = byte_at(&actuator->configuration, CONFIGURATION_LEVEL_MAX);
    value = value < most ? value : most;
    return configuration_is_unsigned(&actuator->configuration) ? value : value / 2;
}
