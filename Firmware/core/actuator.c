#include "actuator.h"

#include "bridge_bytes.h"
#include "bridge_flash.h"
#include "bridge_outline.h"
#include "drv2605.h"

#define LEVEL_MIDDLE 128
#define LEVEL_FULL 255u

#define TAP_SHARP_MIN_US 1000
#define BRAKE_MIN_MS 10
#define SUSTAINED_MIN 16 /* below, what was borne would never be forgotten */

static uint16_t word_at(const struct configuration *configuration, uint8_t offset) {
    return bridge_u16(&configuration->bytes[offset]);
}

bool configuration_is_unsigned(const struct configuration *configuration) {
    return !(configuration->bytes[CONFIGURATION_CONTROL2] & DRV2605_BIDIR_INPUT);
}

static struct configuration_fault fault(uint8_t code, uint8_t offset, uint16_t limit) {
    return (struct configuration_fault){.code = code, .offset = offset, .limit = limit};
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

/* ---- Checks (SPEC 8) ------------------------------------------------------------------- */

#define NO_OFFSET 0xFF

/* The byte of the image that does not mean what kind and format say, or would burn the one-time
   memory. Levels are unsigned in closed loop only. */
static uint8_t misfit(const uint8_t *bytes, uint8_t kind, uint8_t open_loop) {
    uint8_t chip_kind = kind == BRIDGE_KIND_LRA ? DRV2605_N_ERM_LRA : 0;
    uint8_t format = DRV2605_DATA_FORMAT_RTP;
    uint8_t mask = format | open_loop;
    if (kind != BRIDGE_KIND_LRA && kind != BRIDGE_KIND_ERM) {
        return CONFIGURATION_KIND;
    }
    if ((bytes[CONFIGURATION_FEEDBACK] ^ chip_kind) & DRV2605_N_ERM_LRA) {
        return CONFIGURATION_FEEDBACK;
    }
    if (bytes[CONFIGURATION_CONTROL4] & DRV2605_OTP_PROGRAM) {
        return CONFIGURATION_CONTROL4;
    }
    if (bytes[CONFIGURATION_CONTROL2] & DRV2605_BIDIR_INPUT) {
        mask = format;
        format = 0;
    }
    return (bytes[CONFIGURATION_CONTROL3] & mask) == format ? NO_OFFSET : CONFIGURATION_CONTROL3;
}

/* What single fields must hold at least, or at most if they are millivolts: 0 stands for what the
   field before them holds. Those before the rise are words. */
static const struct range {
    uint8_t offset;
    uint16_t limit;
} ranges[] BRIDGE_FLASH = {
    {CONFIGURATION_CURVE_LOW, 0},
    {CONFIGURATION_CURVE_MID, 0},
    {CONFIGURATION_CURVE_HIGH, 0},
    {CONFIGURATION_LEVEL_MAX, 1},
    {CONFIGURATION_SUSTAINED, SUSTAINED_MIN},
    {CONFIGURATION_BRAKE, BRAKE_MIN_MS},
    {CONFIGURATION_RATED, BRIDGE_RATED_MV_MAX},
    {CONFIGURATION_OVERDRIVE, BRIDGE_OVERDRIVE_MV_MAX},
    {CONFIGURATION_TAP_SHARP, TAP_SHARP_MIN_US},
    {CONFIGURATION_TAP_DULL, 0},
};

static struct configuration_fault check_ranges(const uint8_t *bytes) {
    uint16_t value = 0;
    for (const struct range *each = ranges; each < ranges + sizeof ranges / sizeof ranges[0];
         each++) {
        uint8_t offset = bridge_flash_byte(&each->offset);
        uint16_t limit = bridge_flash_word(&each->limit);
        if (!limit) {
            limit = value;
        }
        value = bridge_u16(&bytes[offset]);
        if (offset >= CONFIGURATION_RISE) {
            value = (uint8_t)value;
        }
        if (offset < CONFIGURATION_TAP_DULL) {
            if (value > limit) {
                return fault(BRIDGE_REJECT_LIMIT, offset, limit);
            }
        } else if (value < limit) {
            return fault(BRIDGE_REJECT_LIMIT, offset, limit);
        }
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

/* A register that sets a voltage, by what, its steps in 0.01 mV (SLOS854D 8.5.2, DRV2605L; others
   differ by 3 % at most), and how much of that it may reach: in percent, times full level. */
struct voltage {
    uint8_t reg;
    uint8_t nominal;
    uint16_t step;
    uint16_t share;
};

#define SHARE(percent) (uint16_t)((percent)*LEVEL_FULL)

static const struct voltage voltages[] BRIDGE_FLASH = {
    {CONFIGURATION_RATED_VOLTAGE, CONFIGURATION_RATED, 2058, SHARE(100)}, /* LRA, closed loop */
    {CONFIGURATION_OD_CLAMP, CONFIGURATION_OVERDRIVE, 2122, SHARE(100)},
    {CONFIGURATION_RATED_VOLTAGE, CONFIGURATION_RATED, 2118, SHARE(100)}, /* ERM, closed loop */
    {CONFIGURATION_OD_CLAMP, CONFIGURATION_OVERDRIVE, 2164, SHARE(125)},
    {CONFIGURATION_OD_CLAMP, CONFIGURATION_RATED, 2132, SHARE(110)}, /* LRA, open loop */
    {CONFIGURATION_OD_CLAMP, CONFIGURATION_RATED, 2159, SHARE(100)}, /* ERM, open loop */
};

/* In open loop OD_CLAMP is full scale, of which level_max is the most that is used. */
static struct configuration_fault check_voltages(const uint8_t *bytes, uint8_t kind,
                                                 uint8_t open_loop) {
    uint8_t row = (uint8_t)(2 * kind - 2);
    uint8_t level = LEVEL_FULL;
    uint8_t reg;
    if (bytes[CONFIGURATION_CONTROL3] & open_loop) {
        row = (uint8_t)(kind + 3);
        level = bytes[CONFIGURATION_LEVEL_MAX];
    }
    const struct voltage *voltage = &voltages[row];
    do {
        reg = bridge_flash_byte(&voltage->reg);
        uint16_t nominal = bridge_u16(&bytes[bridge_flash_byte(&voltage->nominal)]);
        uint32_t allowed = (uint32_t)nominal * bridge_flash_word(&voltage->share);
        uint16_t step = bridge_flash_word(&voltage->step);
        uint16_t value = (uint16_t)((uint16_t)bytes[reg] * level);
        if ((uint32_t)value * step > allowed) {
            uint32_t part = (uint32_t)step * level << 8;
            uint8_t most = 0;
            for (uint8_t bits = 8; bits; bits--) { /* a division */
                part >>= 1;
                most = (uint8_t)(most << 1);
                if (allowed >= part) {
                    allowed -= part;
                    most++;
                }
            }
            return fault(BRIDGE_REJECT_LIMIT, reg, most);
        }
        voltage++;
    } while (reg != CONFIGURATION_OD_CLAMP);
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

struct configuration_fault configuration_check(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t kind = bytes[CONFIGURATION_KIND];
    uint8_t open_loop = kind == BRIDGE_KIND_LRA ? DRV2605_LRA_OPEN_LOOP : DRV2605_ERM_OPEN_LOOP;
    uint8_t offset = misfit(bytes, kind, open_loop);
    if (offset != NO_OFFSET) {
        return fault(BRIDGE_REJECT_RANGE, offset, offset == CONFIGURATION_KIND);
    }
    struct configuration_fault found = check_ranges(bytes);
    return found.code ? found : check_voltages(bytes, kind, open_loop);
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
