/* The driver's checks of a configuration, which verify the format and the voltages of its image
   (SPEC 8). */
#include "../support/bytes.h"
#include "../support/compiler.h"
#include "../support/flash.h"
#include "driver.h"
#include "drv2605_image.h"
#include "drv2605_registers.h"

#ifdef BRIDGE_DRIVER_DRV2605

uint16_t driver_supply_mv(const struct actuator *actuator) {
    return actuator->vbat * DRV2605_VBAT_STEP_MV;
}

bool driver_takes_8_bits(const struct configuration *configuration) {
    return !(configuration->bytes[DRV2605_IMAGE_CONTROL2] & DRV2605_BIDIR_INPUT);
}

static uint16_t word_at(const uint8_t *bytes, uint8_t offset) { return bridge_u16(&bytes[offset]); }

/* Returns the bit of CONTROL3 that opens the loop. */
static uint8_t open_loop_bit(uint8_t kind) {
    return kind == BRIDGE_KIND_ERM ? DRV2605_ERM_OPEN_LOOP : DRV2605_LRA_OPEN_LOOP;
}

bool driver_has_open_loop(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    return bytes[DRV2605_IMAGE_CONTROL3] & open_loop_bit(bytes[CONFIGURATION_KIND]);
}

/* The bits that an image must not set. These bits would program the chip's one-time memory, or make
   levels proportional to the supply voltage or, for an LRA without feedback, to the clamp voltage,
   instead of to the rated voltage. */
static const uint8_t forbidden[][2] BRIDGE_FLASH = {
    {DRV2605_IMAGE_CONTROL3, DRV2605_SUPPLY_COMP_DIS},
    {DRV2605_IMAGE_CONTROL4, DRV2605_OTP_PROGRAM},
    {DRV2605_IMAGE_CONTROL5, DRV2605_LRA_AUTO_OPEN_LOOP},
};

/* Checks that the image matches the kind and the format of the configuration. Unsigned levels are
   possible only in a closed loop, and a band only in an open loop. */
uint8_t driver_find_inconsistent_byte(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t kind = bytes[CONFIGURATION_KIND];
    uint8_t chip_kind = kind == BRIDGE_KIND_ERM ? 0 : DRV2605_N_ERM_LRA;
    uint8_t format = DRV2605_DATA_FORMAT_RTP;
    uint8_t mask = format | open_loop_bit(kind);
    if (kind == BRIDGE_KIND_NONE ||
        kind > (BRIDGE_HAS_BAND ? BRIDGE_KIND_WIDE_BAND : BRIDGE_KIND_ERM)) {
        return CONFIGURATION_KIND;
    }
    if ((bytes[DRV2605_IMAGE_FEEDBACK] ^ chip_kind) & DRV2605_N_ERM_LRA) {
        return DRV2605_IMAGE_FEEDBACK;
    }
    for (uint8_t index = 0; index < sizeof forbidden / sizeof forbidden[0]; index++) {
        uint8_t offset = bridge_flash_byte(&forbidden[index][0]);
        if (bytes[offset] & bridge_flash_byte(&forbidden[index][1])) {
            return offset;
        }
    }
    if (bytes[DRV2605_IMAGE_CONTROL2] & DRV2605_BIDIR_INPUT) {
        mask = format;
        format = 0;
    }
    if (driver_has_band(configuration) && !driver_has_open_loop(configuration)) {
        return DRV2605_IMAGE_CONTROL3;
    }
    return (bytes[DRV2605_IMAGE_CONTROL3] & mask) == format ? DRIVER_CONSISTENT
                                                            : DRV2605_IMAGE_CONTROL3;
}

/* The voltages that registers 0x16 and 0x17 set, for an LRA or an ERM. In an open loop, register
   0x17 also sets full level. In this enum, the clamp of each kind follows the rated voltage of that
   kind. */
enum voltage { LRA_RATED, LRA_CLAMP, ERM_RATED, ERM_CLAMP, LRA_OPEN, ERM_OPEN };

/* The step of each voltage in 0.01 mV (SLOS854D 8.5.2, DRV2605L; the steps of the DRV2605 differ by
   at most 3 %). */
static const uint16_t steps[] BRIDGE_FLASH = {
    [LRA_RATED] = 2058, [LRA_CLAMP] = 2122, [ERM_RATED] = 2118,
    [ERM_CLAMP] = 2164, [LRA_OPEN] = 2132,  [ERM_OPEN] = 2159,
};

/* The terms of a bound. In the following code, voltages are in units of 0.16 mV. */
struct bound {
    uint8_t voltage; /**< enum voltage */
    uint16_t step;
    uint16_t nominal;
    uint16_t by; /**< the voltage times `by` must not exceed `nominal` times `to` */
    uint16_t to;
};

/* The multiplication is a separate function, because, on an AVR, a call is shorter than an inline
   multiplication. */
BRIDGE_NOINLINE static uint32_t product(uint16_t a, uint16_t b) { return (uint32_t)a * b; }

#define RESONANCE_WHOLE 10000000ul /* one second, in units of a microsecond times 0.1 Hz */
#define OPEN_LOOP_IDLE_US 800

/* Returns the square of the fraction of the period during which an LRA is driven, in units of
   1/65536. In a closed loop, the LRA is idle for 4 * SAMPLE_TIME + 300 us in each period. */
static uint16_t driven_fraction(const uint8_t *bytes, uint8_t voltage) {
    uint8_t sample_time = (bytes[DRV2605_IMAGE_CONTROL2] >> 4) & 3;
    uint16_t idle_us =
        voltage == LRA_OPEN ? OPEN_LOOP_IDLE_US : (uint16_t)(900 + 200 * sample_time);
    uint32_t idle = product(idle_us, word_at(bytes, CONFIGURATION_RESONANCE));
    return idle < RESONANCE_WHOLE ? (uint16_t) ~(product((uint16_t)(idle >> 8), 6871) >> 12) : 0;
}

/* Returns the product of a number and a fraction in units of 1/65536. */
BRIDGE_NOINLINE static uint32_t part_of(uint32_t number, uint16_t fraction) {
    return product((uint16_t)(number >> 16), fraction) +
           (product((uint16_t)number, fraction) >> 16);
}

/* Checks a voltage against its bound. The rms voltage of an LRA may exceed the bound by the error
   of rounding to the nearest step. The other voltages may exceed their bounds by an eighth of a
   step, the uncertainty of the printed constants. The rms voltage of an LRA is the register's
   voltage, divided by the square root of the driven fraction in a closed loop, or multiplied by
   that root in an open loop. The function compares squares, with an accuracy of 0.05 %. */
static bool fits(const struct bound *bound, uint8_t value, uint16_t fraction) {
    bool is_rms = bound->voltage == LRA_RATED || bound->voltage == LRA_OPEN;
    uint16_t eighths = value ? (uint16_t)(8u * value - (is_rms ? 4 : 1)) : 0;
    uint16_t voltage = (uint16_t)(product(eighths, bound->step) >> 7);
    uint16_t nominal = bound->nominal;
    if (!is_rms) {
        return product(voltage, bound->by) <= product(nominal, bound->to);
    }
    uint32_t is = product(voltage, voltage);
    uint32_t may = product(nominal, nominal);
    return bound->voltage == LRA_OPEN ? part_of(is, fraction) <= may : is <= part_of(may, fraction);
}

/* Returns the time that a code of IDISS_TIME or BLANKING_TIME represents for an ERM (SLOS854D
   8.6.21), in units of 5 us. */
static uint8_t pause_of(uint8_t code) {
    static const uint8_t pauses[] BRIDGE_FLASH = {9, 15, 30, 45};
    return bridge_flash_byte(&pauses[code & 3]);
}

/* Sets the factors of a bound. The clamp voltage of an ERM depends on the fraction of time for
   which the ERM is driven (SLOS854D 8.5.2.2); for all other voltages, both factors are 1. */
static void set_factors(struct bound *bound, const uint8_t *bytes) {
    bound->by = 1;
    bound->to = 1;
    if (bound->voltage == ERM_CLAMP) {
        uint8_t control2 = bytes[DRV2605_IMAGE_CONTROL2];
        uint16_t drive = (uint16_t)(200 + 40 * (bytes[DRV2605_IMAGE_CONTROL1] & 0x1F));
        bound->by = (uint16_t)(drive - 60);
        bound->to = (uint16_t)(drive + pause_of(control2) + pause_of(control2 >> 2));
    }
}

/* Determines, bit by bit, the greatest value that satisfies a bound. */
static uint8_t most_of(const struct bound *bound, uint16_t fraction) {
    uint8_t most = 0;
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        if (fits(bound, most | bit, fraction)) {
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
    uint16_t fraction = driven_fraction(bytes, voltage);
    set_factors(&bound, bytes);
    if (fits(&bound, bytes[reg], fraction)) {
        return (struct configuration_fault){.code = BRIDGE_REJECT_NONE};
    }
    return (struct configuration_fault){
        .code = BRIDGE_REJECT_LIMIT, .offset = reg, .limit = most_of(&bound, fraction)};
}

/* The range of an LRA's resonance (SLOS854D 6.5), and the value of OL_LRA_PERIOD that corresponds
   to 0.1 Hz. In an open loop, OL_LRA_PERIOD sets the frequency of the drive. The period must be the
   period of the declared resonance, rounded down or up, because the rms voltage is calculated from
   the resonance.
 */
#define RESONANCE_MIN 1250
#define RESONANCE_MAX 3000
#define PERIOD_WHOLE 101564ul

/* Returns the period of a frequency in units of OL_LRA_PERIOD, rounded down. The function divides
   half of that value, which fits in 16 bits, and doubles the result. */
static uint8_t period_of(uint16_t hertz) {
    uint16_t rest = PERIOD_WHOLE / 2;
    uint8_t period = 0;
    for (; rest >= hertz; rest -= hertz) {
        period = (uint8_t)(period + 2);
    }
    return 2u * rest >= hertz ? (uint8_t)(period + 1) : period;
}

/* Checks the frequency at an offset and, in an open loop, the period of that frequency. */
static struct configuration_fault check_frequency(const uint8_t *bytes, uint8_t offset,
                                                  uint8_t period_offset, uint16_t min, uint16_t max,
                                                  bool is_open) {
    uint16_t hertz = word_at(bytes, offset);
    struct configuration_fault found = {.code = BRIDGE_REJECT_NONE};
    if (hertz < min || hertz > max) {
        found.code = BRIDGE_REJECT_LIMIT;
        found.offset = offset;
        found.limit = hertz < min ? min : max;
    } else if (is_open) {
        uint8_t period = period_of(hertz);
        if ((uint8_t)(bytes[period_offset] - period) > 1) {
            found.code = BRIDGE_REJECT_RANGE;
            found.offset = period_offset;
            found.limit = period;
        }
    }
    return found;
}

/* Checks the resonance, or both ends of a band. The field of the resonance contains the lowest
   frequency of a band, because the rms voltage, which is calculated from that field, is highest at
   the lowest frequency. */
static struct configuration_fault check_frequencies(const struct configuration *configuration,
                                                    bool is_open) {
    const uint8_t *bytes = configuration->bytes;
    bool has_band = driver_has_band(configuration);
    uint16_t min = has_band ? BRIDGE_FREQUENCY_MIN : RESONANCE_MIN;
    uint16_t max = has_band ? BRIDGE_FREQUENCY_MAX : RESONANCE_MAX;
    struct configuration_fault found = check_frequency(
        bytes, CONFIGURATION_RESONANCE, DRV2605_IMAGE_OL_LRA_PERIOD, min, max, is_open);
    if (!has_band || found.code) {
        return found;
    }
    found = check_frequency(bytes, CONFIGURATION_BAND_END, CONFIGURATION_BAND_PERIOD,
                            word_at(bytes, CONFIGURATION_RESONANCE), max, is_open);
    if (!found.code && bytes[CONFIGURATION_BAND_PERIOD] > bytes[DRV2605_IMAGE_OL_LRA_PERIOD]) {
        found.code = BRIDGE_REJECT_RANGE;
        found.offset = CONFIGURATION_BAND_PERIOD;
        found.limit = bytes[DRV2605_IMAGE_OL_LRA_PERIOD];
    }
    return found;
}

#if BRIDGE_HAS_BAND
/* The period decreases linearly as the sharpness increases. */
uint8_t driver_tone(const struct configuration *configuration, uint8_t sharpness) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t longest = bytes[DRV2605_IMAGE_OL_LRA_PERIOD];
    uint8_t range = (uint8_t)(longest - bytes[CONFIGURATION_BAND_PERIOD]);
    return (uint8_t)(longest - actuator_share(range, sharpness));
}
#endif

/* Checks the voltages. An open-loop configuration must also pass the checks of a closed loop,
   because a calibration closes the loop. */
struct configuration_fault driver_check_voltages(const struct configuration *configuration) {
    const uint8_t *bytes = configuration->bytes;
    bool is_lra = bytes[CONFIGURATION_KIND] != BRIDGE_KIND_ERM;
    bool is_open = driver_has_open_loop(configuration);
    uint8_t rated = is_lra ? LRA_RATED : ERM_RATED;
    struct configuration_fault found = {.code = BRIDGE_REJECT_NONE};
    if (is_lra) {
        found = check_frequencies(configuration, is_open);
    }
    if (!found.code) {
        found = check_voltage(bytes, rated);
    }
    if (!found.code) {
        found = check_voltage(bytes, (uint8_t)(rated + 1)); /* the clamp */
    }
    if (!found.code && is_open) {
        found = check_voltage(bytes, is_lra ? LRA_OPEN : ERM_OPEN);
    }
    return found;
}

#endif
