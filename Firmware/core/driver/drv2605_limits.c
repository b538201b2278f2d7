/* The driver's checks of a configuration: the format of the image, and its voltages (SPEC 8). */
#include "../support/bytes.h"
#include "../support/compiler.h"
#include "../support/flash.h"
#include "driver.h"
#include "drv2605_image.h"
#include "drv2605_registers.h"

#ifdef BRIDGE_DRIVER_DRV2605

#define LEVEL_FULL 255u

bool driver_takes_8_bits(const struct configuration *configuration) {
    return !(configuration->bytes[DRV2605_IMAGE_CONTROL2] & DRV2605_BIDIR_INPUT);
}

static uint16_t word_at(const uint8_t *bytes, uint8_t offset) { return bridge_u16(&bytes[offset]); }

/* The bit of CONTROL3 that opens the loop. */
static uint8_t open_loop_bit(uint8_t kind) {
    return kind == BRIDGE_KIND_LRA ? DRV2605_LRA_OPEN_LOOP : DRV2605_ERM_OPEN_LOOP;
}

/* The image must say of kind and format what the configuration says, and must not burn the chip's
   one-time memory. Unsigned levels exist in a closed loop only. */
uint8_t driver_find_inconsistent_byte(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t kind = bytes[CONFIGURATION_KIND];
    uint8_t chip_kind = kind == BRIDGE_KIND_LRA ? DRV2605_N_ERM_LRA : 0;
    uint8_t format = DRV2605_DATA_FORMAT_RTP;
    uint8_t mask = format | open_loop_bit(kind);
    if (kind != BRIDGE_KIND_LRA && kind != BRIDGE_KIND_ERM) {
        return CONFIGURATION_KIND;
    }
    if ((bytes[DRV2605_IMAGE_FEEDBACK] ^ chip_kind) & DRV2605_N_ERM_LRA) {
        return DRV2605_IMAGE_FEEDBACK;
    }
    if (bytes[DRV2605_IMAGE_CONTROL4] & DRV2605_OTP_PROGRAM) {
        return DRV2605_IMAGE_CONTROL4;
    }
    if (bytes[DRV2605_IMAGE_CONTROL2] & DRV2605_BIDIR_INPUT) {
        mask = format;
        format = 0;
    }
    return (bytes[DRV2605_IMAGE_CONTROL3] & mask) == format ? DRIVER_CONSISTENT
                                                            : DRV2605_IMAGE_CONTROL3;
}

/* The voltages that registers 0x16 and 0x17 set, for an LRA or an ERM, in a closed or an open loop.
   The clamp of a kind follows its rated voltage. */
enum voltage { LRA_RATED, LRA_CLAMP, ERM_RATED, ERM_CLAMP, LRA_OPEN, ERM_OPEN };

/* Steps of these voltages in 0.01 mV (SLOS854D 8.5.2, DRV2605L; the DRV2605's differ by 3 % at
 * most).
 */
static const uint16_t steps[] BRIDGE_FLASH = {
    [LRA_RATED] = 2058, [LRA_CLAMP] = 2122, [ERM_RATED] = 2118,
    [ERM_CLAMP] = 2164, [LRA_OPEN] = 2132,  [ERM_OPEN] = 2159,
};

/* The terms of a bound. Voltages are in 0.16 mV from here on. */
struct bound {
    uint8_t voltage; /**< enum voltage */
    uint16_t step;
    uint16_t nominal;
    uint16_t by; /**< the register's voltage times this is at most the nominal one times `to` */
    uint16_t to;
};

/* A function of its own: on an AVR a call is shorter than the multiplication in place. */
BRIDGE_NOINLINE static uint32_t product(uint16_t a, uint16_t b) { return (uint32_t)a * b; }

#define RESONANCE_WHOLE 10000000ul /* a second, in microseconds times 0.1 Hz */

/* The square of the part of an LRA's period for which it is driven, in 65536ths:
   1 - (4 SAMPLE_TIME + 300 us) x resonance. */
static uint16_t driven_share(const uint8_t *bytes) {
    uint8_t sample_time = (bytes[DRV2605_IMAGE_CONTROL2] >> 4) & 3;
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
        uint8_t control2 = bytes[DRV2605_IMAGE_CONTROL2];
        uint16_t drive = (uint16_t)(200 + 40 * (bytes[DRV2605_IMAGE_CONTROL1] & 0x1F));
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
    uint8_t reg = is_rated ? DRV2605_IMAGE_RATED_VOLTAGE : DRV2605_IMAGE_OD_CLAMP;
    uint16_t nominal_mv = word_at(bytes, is_clamp ? CONFIGURATION_OVERDRIVE : CONFIGURATION_RATED);
    struct bound bound = {.voltage = voltage,
                          .step = bridge_flash_word(&steps[voltage]),
                          .nominal = (uint16_t)(product(nominal_mv, 25) >> 2)};
    uint16_t share = driven_share(bytes);
    set_factors(&bound, bytes);
    if (fits(&bound, bytes[reg], share)) {
        return (struct configuration_fault){.code = BRIDGE_REJECT_NONE};
    }
    return (struct configuration_fault){
        .code = BRIDGE_REJECT_LIMIT, .offset = reg, .limit = most_of(&bound, share)};
}

struct configuration_fault driver_check_voltages(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t kind = bytes[CONFIGURATION_KIND];
    if (bytes[DRV2605_IMAGE_CONTROL3] & open_loop_bit(kind)) {
        return check_voltage(bytes, kind == BRIDGE_KIND_LRA ? LRA_OPEN : ERM_OPEN);
    }
    uint8_t rated = kind == BRIDGE_KIND_LRA ? LRA_RATED : ERM_RATED;
    struct configuration_fault found = check_voltage(bytes, rated);
    return found.code ? found : check_voltage(bytes, (uint8_t)(rated + 1)); /* the clamp */
}

#endif
