/* What a device refuses of a configuration, and what a lock holds fast (SPEC 8). */
#include "actuator.h"
#include "bridge_bytes.h"
#include "bridge_flash.h"
#include "bridge_outline.h"
#include "drv2605_registers.h"

#define LEVEL_FULL 255u
#define TAP_SHARP_MIN_US 1000
#define BRAKE_MIN_MS 10
#define SUSTAINED_MIN 16 /* below, what was borne would never be forgotten */

static uint16_t word_at(const uint8_t *bytes, uint8_t offset) { return bridge_u16(&bytes[offset]); }

static struct configuration_fault fault(uint8_t code, uint8_t offset, uint16_t limit) {
    return (struct configuration_fault){.code = code, .offset = offset, .limit = limit};
}

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

/* What sets a voltage: 0x16 or 0x17, of an LRA or an ERM, in a closed loop or an open one. */
enum voltage { LRA_RATED, LRA_CLAMP, ERM_RATED, ERM_CLAMP, LRA_OPEN, ERM_OPEN };

/* Their steps in 0.01 mV (SLOS854D 8.5.2, DRV2605L; others differ by 3 % at most). */
static const uint16_t steps[] BRIDGE_FLASH = {
    [LRA_RATED] = 2058, [LRA_CLAMP] = 2122, [ERM_RATED] = 2118,
    [ERM_CLAMP] = 2164, [LRA_OPEN] = 2132,  [ERM_OPEN] = 2159,
};

/* What a bound is computed from. Voltages are in 0.16 mV from here on. */
struct bound {
    uint8_t voltage; /**< enum voltage */
    uint16_t step;
    uint16_t nominal;
    uint16_t by; /**< the register's voltage times this is at most the nominal one times `to` */
    uint16_t to;
};

/* Four registers and a call are shorter than each multiplication in its place. */
BRIDGE_OUTLINE static uint32_t product(uint16_t a, uint16_t b) { return (uint32_t)a * b; }

#define RESONANCE_WHOLE 10000000ul /* a second, in microseconds times 0.1 Hz */

/* 1 - (4 SAMPLE_TIME + 300 us) x resonance, in 65536ths: what of an LRA's period it is driven for,
   squared. */
static uint16_t driven_share(const uint8_t *bytes) {
    uint8_t sample_time = (bytes[CONFIGURATION_CONTROL2] >> 4) & 3;
    uint16_t idle_us = (uint16_t)(900 + 200 * sample_time);
    uint32_t idle = product(idle_us, word_at(bytes, CONFIGURATION_RESONANCE));
    return idle < RESONANCE_WHOLE ? (uint16_t) ~(product((uint16_t)(idle >> 8), 6871) >> 12) : 0;
}

/* A value that was rounded to the nearest step is taken for an LRA's rated voltage. For the others
   it is one that the printed constants leave open by an eighth of a step. The rms voltage of an LRA
   is its register's over the root of a share; of both the squares are compared, to 0.05 %. */
static bool fits(const struct bound *bound, uint8_t value, uint16_t share) {
    bool is_rms = bound->voltage == LRA_RATED;
    uint16_t eighths = value ? (uint16_t)(8u * value - (is_rms ? 4 : 1)) : 0;
    uint16_t voltage = (uint16_t)(product(eighths, bound->step) >> 7);
    uint16_t nominal = bound->nominal;
    return is_rms ? product(voltage, voltage) << 1 <=
                        product((uint16_t)(product(nominal, nominal) >> 15), share)
                  : product(voltage, bound->by) <= product(nominal, bound->to);
}

/* IDISS_TIME and BLANKING_TIME of an ERM (SLOS854D 8.6.21), in 5 us. */
static uint8_t pause_of(uint8_t code) {
    static const uint8_t pauses[] BRIDGE_FLASH = {9, 15, 30, 45};
    return bridge_flash_byte(&pauses[code & 3]);
}

/* The clamp of an ERM shrinks with the share of time in which it is driven (SLOS854D 8.5.2.2). In
   an open loop OD_CLAMP is full scale, of which level_max is the most that is used. */
static void set_factors(struct bound *bound, const uint8_t *bytes) {
    bound->by = 1;
    bound->to = 1;
    if (bound->voltage == ERM_CLAMP) {
        uint8_t control2 = bytes[CONFIGURATION_CONTROL2];
        uint16_t drive = (uint16_t)(200 + 40 * (bytes[CONFIGURATION_CONTROL1] & 0x1F));
        bound->by = (uint16_t)(drive - 60);
        bound->to = (uint16_t)(drive + pause_of(control2) + pause_of(control2 >> 2));
    } else if (bound->voltage >= LRA_OPEN) {
        bound->by = (uint16_t)(10 * bytes[CONFIGURATION_LEVEL_MAX]);
        bound->to = bound->voltage == LRA_OPEN ? LEVEL_FULL * 11 : LEVEL_FULL * 10;
    }
}

/* The greatest value that fits, found bit by bit. */
static uint8_t most_of(const struct bound *bound, uint16_t share) {
    uint8_t most = 0;
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        if (fits(bound, most | bit, share)) {
            most |= bit;
        }
    }
    return most;
}

static struct configuration_fault check_voltage(const uint8_t *bytes, uint8_t voltage) {
    bool is_rated = voltage == LRA_RATED || voltage == ERM_RATED;
    bool is_clamp = voltage == LRA_CLAMP || voltage == ERM_CLAMP;
    uint8_t reg = is_rated ? CONFIGURATION_RATED_VOLTAGE : CONFIGURATION_OD_CLAMP;
    uint16_t nominal_mv = word_at(bytes, is_clamp ? CONFIGURATION_OVERDRIVE : CONFIGURATION_RATED);
    struct bound bound = {.voltage = voltage,
                          .step = bridge_flash_word(&steps[voltage]),
                          .nominal = (uint16_t)(product(nominal_mv, 25) >> 2)};
    uint16_t share = driven_share(bytes);
    set_factors(&bound, bytes);
    return fits(&bound, bytes[reg], share)
               ? fault(BRIDGE_REJECT_NONE, 0, 0)
               : fault(BRIDGE_REJECT_LIMIT, reg, most_of(&bound, share));
}

static struct configuration_fault check_voltages(const uint8_t *bytes, uint8_t kind,
                                                 uint8_t open_loop) {
    if (bytes[CONFIGURATION_CONTROL3] & open_loop) {
        return check_voltage(bytes, kind == BRIDGE_KIND_LRA ? LRA_OPEN : ERM_OPEN);
    }
    uint8_t rated = kind == BRIDGE_KIND_LRA ? LRA_RATED : ERM_RATED;
    struct configuration_fault found = check_voltage(bytes, rated);
    return found.code ? found : check_voltage(bytes, (uint8_t)(rated + 1)); /* its clamp */
}

/* What a lock holds fast (SPEC 8), in the order of its bytes: it is a configuration's or more. */
static const uint8_t locked_words[] BRIDGE_FLASH = {
    CONFIGURATION_RATED,
    CONFIGURATION_OVERDRIVE,
    CONFIGURATION_BUDGET,
};

static struct configuration_fault check_lock(const uint8_t *bytes, const struct lock *lock) {
    if (bytes[CONFIGURATION_KIND] != lock->bytes[LOCK_KIND]) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_KIND, lock->bytes[LOCK_KIND]);
    }
    if (bytes[CONFIGURATION_SUSTAINED] > lock->bytes[LOCK_SUSTAINED]) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_SUSTAINED, lock->bytes[LOCK_SUSTAINED]);
    }
    for (uint8_t index = 0; index < sizeof locked_words; index++) {
        uint8_t offset = bridge_flash_byte(&locked_words[index]);
        uint16_t most = bridge_u16(&lock->bytes[LOCK_WORDS + 2 * index]);
        if (word_at(bytes, offset) > most) {
            return fault(BRIDGE_REJECT_LIMIT, offset, most);
        }
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

BRIDGE_OUTLINE void lock_take(struct lock *lock, const struct configuration *configuration) {
    lock->bytes[LOCK_KIND] = configuration->bytes[CONFIGURATION_KIND];
    lock->bytes[LOCK_SUSTAINED] = configuration->bytes[CONFIGURATION_SUSTAINED];
    for (uint8_t index = 0; index < sizeof locked_words; index++) {
        uint8_t offset = bridge_flash_byte(&locked_words[index]);
        lock->bytes[LOCK_WORDS + 2 * index] = configuration->bytes[offset];
        lock->bytes[LOCK_WORDS + 2 * index + 1] = configuration->bytes[offset + 1];
    }
}

struct configuration_fault configuration_check(const struct configuration *configuration,
                                               const struct lock *lock) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t kind = bytes[CONFIGURATION_KIND];
    uint8_t open_loop = kind == BRIDGE_KIND_LRA ? DRV2605_LRA_OPEN_LOOP : DRV2605_ERM_OPEN_LOOP;
    uint8_t offset = misfit(bytes, kind, open_loop);
    if (offset != NO_OFFSET) {
        return fault(BRIDGE_REJECT_RANGE, offset, offset == CONFIGURATION_KIND);
    }
    struct configuration_fault found = check_ranges(bytes);
    if (!found.code && lock_is_set(lock)) {
        found = check_lock(bytes, lock);
    }
    return found.code ? found : check_voltages(bytes, kind, open_loop);
}
