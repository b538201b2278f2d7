#include "actuator.h"

#include "bridge_bytes.h"
#include "bridge_flash.h"
#include "bridge_outline.h"
#include "drv2605_registers.h"
#include "drv2605_steps.h"

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

/* Shorter than a dull tap by a share, of 255, of what a sharp one is shorter: exact, and without a
   division. */
BRIDGE_OUTLINE uint16_t configuration_tap_us(const struct configuration *configuration,
                                             uint8_t sharpness) {
    uint16_t dull = word_at(configuration, CONFIGURATION_TAP_DULL);
    uint16_t sharp = word_at(configuration, CONFIGURATION_TAP_SHARP);
    uint32_t share = (uint32_t)(uint16_t)(dull - sharp) * sharpness + 1;
    share += (share + (share >> 8)) >> 8;
    return (uint16_t)(dull - (share >> 8));
}

/* ---- Checks (SPEC 8) ------------------------------------------------------------------- */

static struct configuration_fault fault(uint8_t code, uint8_t offset, uint16_t limit) {
    return (struct configuration_fault){.code = code, .offset = offset, .limit = limit};
}

/* The bit of CONTROL3 that opens the loop. */
static uint8_t open_loop_bit(const struct configuration *configuration) {
    return configuration->bytes[CONFIGURATION_KIND] == BRIDGE_KIND_LRA ? DRV2605_LRA_OPEN_LOOP
                                                                       : DRV2605_ERM_OPEN_LOOP;
}

/* The image must mean what kind and format say, and must not burn the one-time memory. Levels are
   unsigned in closed loop only. */
static struct configuration_fault check_image(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t kind = bytes[CONFIGURATION_KIND];
    if (kind != BRIDGE_KIND_LRA && kind != BRIDGE_KIND_ERM) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_KIND, BRIDGE_KIND_LRA);
    }
    uint8_t chip_kind = kind == BRIDGE_KIND_LRA ? DRV2605_N_ERM_LRA : 0;
    if ((bytes[CONFIGURATION_FEEDBACK] & DRV2605_N_ERM_LRA) != chip_kind) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_FEEDBACK, 0);
    }
    if (bytes[CONFIGURATION_CONTROL4] & DRV2605_OTP_PROGRAM) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_CONTROL4, 0);
    }
    uint8_t mask = DRV2605_DATA_FORMAT_RTP;
    uint8_t format = 0;
    if (configuration_is_unsigned(configuration)) {
        format = mask;
        mask |= open_loop_bit(configuration);
    }
    if ((bytes[CONFIGURATION_CONTROL3] & mask) != format) {
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
    uint8_t loop = configuration->bytes[CONFIGURATION_KIND];
    uint8_t level = LEVEL_FULL;
    if (configuration->bytes[CONFIGURATION_CONTROL3] & open_loop_bit(configuration)) {
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
            uint8_t most = configuration->bytes[reg];
            uint32_t reached = most * step;
            if (reached > allowed) {
                for (; reached > allowed; reached -= step) {
                    most--;
                }
                return fault(BRIDGE_REJECT_LIMIT, reg, most);
            }
        }
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

/* What single fields may hold. */
#define WORD 0x01
#define AT_MOST 0x02
#define RISING 0x04 /* at least what the field before it holds */

static const struct range {
    uint8_t offset;
    uint8_t how;
    uint16_t limit;
} ranges[] BRIDGE_FLASH = {
    {CONFIGURATION_RATED, WORD | AT_MOST, BRIDGE_RATED_MV_MAX},
    {CONFIGURATION_OVERDRIVE, WORD | AT_MOST, BRIDGE_OVERDRIVE_MV_MAX},
    {CONFIGURATION_TAP_SHARP, WORD, TAP_SHARP_MIN_US},
    {CONFIGURATION_TAP_DULL, WORD | RISING, 0},
    {CONFIGURATION_BRAKE, 0, BRAKE_MIN_MS},
    {CONFIGURATION_CURVE_LOW, 0, 0},
    {CONFIGURATION_CURVE_MID, RISING, 0},
    {CONFIGURATION_CURVE_HIGH, RISING, 0},
    {CONFIGURATION_LEVEL_MAX, 0, 1},
};

static struct configuration_fault check_ranges(const struct configuration *configuration) {
    uint16_t value = 0;
    for (const struct range *each = ranges; each < ranges + sizeof ranges / sizeof ranges[0];
         each++) {
        uint8_t offset = bridge_flash_byte(&each->offset);
        uint8_t how = bridge_flash_byte(&each->how);
        uint16_t limit = how & RISING ? value : bridge_flash_word(&each->limit);
        value = word_at(configuration, offset);
        if (!(how & WORD)) {
            value = (uint8_t)value;
        }
        if (how & AT_MOST ? value > limit : value < limit) {
            return fault(BRIDGE_REJECT_LIMIT, offset, limit);
        }
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

struct configuration_fault configuration_check(const struct configuration *configuration) {
    struct configuration_fault found = check_image(configuration);
    if (!found.code) {
        found = check_ranges(configuration);
    }
    return found.code ? found : check_voltages(configuration);
}

/* ---- Levels (SPEC 6, 8) ---------------------------------------------------------------- */

void actuator_init(struct actuator *actuator) {
    actuator->gain = LEVEL_FULL;
    actuator->health = STEP_HEALTH;
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
