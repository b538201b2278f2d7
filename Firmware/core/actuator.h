/*
 * One actuator: its configuration, what a level becomes in its register, and the state of the
 * DRV2605 that drives it. drv2605.c moves that state.
 */
#ifndef BRIDGE_ACTUATOR_H
#define BRIDGE_ACTUATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"
#include "bridge_limits.h"

/** The most that an actuator can have borne: beyond any budget. */
#define BRIDGE_HEAT_MAX ((int32_t)0xFFFFFF)

/** Bytes of a configuration on the wire and in storage (SPEC 8). */
#define CONFIGURATION_SIZE (BRIDGE_CONFIGURE_SIZE - 1)

/** The configuration as it travels: fields by offset, so that checking, storing and answering
    need no second form. */
struct configuration {
    uint8_t bytes[CONFIGURATION_SIZE];
};

enum configuration_offset {
    CONFIGURATION_KIND = 0,
    CONFIGURATION_LOCALITY = 1,
    CONFIGURATION_RESONANCE = 2, /**< u16, 0.1 Hz */
    CONFIGURATION_RATED = 4,     /**< u16, mV */
    CONFIGURATION_OVERDRIVE = 6, /**< u16, mV */
    CONFIGURATION_TAP_DULL = 8,  /**< u16, us */
    CONFIGURATION_TAP_SHARP = 10,
    CONFIGURATION_RISE = 12,  /**< u8, ms */
    CONFIGURATION_BRAKE = 13, /**< u8, ms */
    CONFIGURATION_ONSET = 14, /**< u16, us */
    CONFIGURATION_CURVE_LOW = 16,
    CONFIGURATION_CURVE_MID = 17,
    CONFIGURATION_CURVE_HIGH = 18,
    CONFIGURATION_LEVEL_MAX = 19,
    CONFIGURATION_CALIBRATION = 20,
    CONFIGURATION_IMAGE = 21, /**< registers 0x03 and 0x16 to 0x20 */
    CONFIGURATION_LIBRARY = 21,
    CONFIGURATION_RATED_VOLTAGE = 22,
    CONFIGURATION_OD_CLAMP = 23,
    CONFIGURATION_A_CAL_COMP = 24,
    CONFIGURATION_A_CAL_BEMF = 25,
    CONFIGURATION_FEEDBACK = 26,
    CONFIGURATION_CONTROL1 = 27,
    CONFIGURATION_CONTROL2 = 28,
    CONFIGURATION_CONTROL3 = 29,
    CONFIGURATION_CONTROL4 = 30,
    CONFIGURATION_SUSTAINED = 33, /**< u8, a register value */
    CONFIGURATION_BUDGET = 34,    /**< u16, ms */
    CONFIGURATION_NAME = 36,
};

/** What is wrong with a configuration: a reject code, the byte at fault, the nearest legal value.
 */
struct configuration_fault {
    uint8_t code;
    uint8_t offset;
    uint16_t limit;
};

/** Bytes of a lock in storage. */
#define LOCK_SIZE 8

/** The most that any configuration of an actuator may have (SPEC 8, Lock); all zeros: not locked.
 */
struct lock {
    uint8_t bytes[LOCK_SIZE];
};

enum lock_offset {
    LOCK_KIND = 0,
    LOCK_SUSTAINED = 1,
    LOCK_WORDS = 2, /**< rated, overdrive, budget */
};

/** Whether a lock holds anything fast. */
static inline bool lock_is_set(const struct lock *lock) { return lock->bytes[LOCK_KIND]; }

/** Takes the limits of a configuration for those of a lock. */
void lock_take(struct lock *lock, const struct configuration *configuration);

/** Checks a configuration against the limits of SPEC 8 and against a lock; code 0 means that it is
    good. */
struct configuration_fault configuration_check(const struct configuration *configuration,
                                               const struct lock *lock);

/** True if the image's level format is unidirectional and unsigned (8 bits). */
bool configuration_is_unsigned(const struct configuration *configuration);

/** Length of a tap in microseconds, by its sharpness. */
uint16_t configuration_tap_us(const struct configuration *configuration, uint8_t sharpness);

/** A fault of an actuator in a byte. */
#define ACTUATOR_FAULT(fault) ((uint8_t)((fault) >> ACTUATOR_FAULT_SHIFT))
#define ACTUATOR_FAULT_SHIFT 4
#ifndef __cplusplus
_Static_assert(BRIDGE_FAULT_BUS >> ACTUATOR_FAULT_SHIFT == 1 &&
                   BRIDGE_FAULT_REST >> ACTUATOR_FAULT_SHIFT == 0x80,
               "the first and the last of them");
#endif

struct actuator {
    uint8_t state;    /**< enum bridge_actuator_state */
    uint8_t step;     /**< enum drv2605_step, and what it does: */
    uint8_t reg;      /**< the register that it accesses */
    uint8_t operand;  /**< what it writes, or the bits that count of what it reads */
    uint8_t mode;     /**< of the chip, as it was or will be written */
    uint8_t attempts; /**< of the present step */
    uint8_t waits;    /**< for the end of a calibration */
    uint8_t failures; /**< due writes that failed in a row */
    uint8_t health;   /**< which look at a chip that is awake is the next, from 0 on */
    uint16_t due;     /**< the step acts from this time on (drv2605_time) */
    uint8_t read[2];  /**< the last two bytes that were read */
    uint8_t faults;   /**< latched here until the bridge collects them, as ACTUATOR_FAULT has it */
    bool is_configured;
    bool is_enabled; /**< the EN pin */
    bool is_muted;
    bool is_wanted;      /**< a stream needs it awake */
    bool has_stopped;    /**< it came to rest by itself, having run: all streams must end */
    bool shows_old_gain; /**< the level shown is to be written anew */
    bool is_over_budget; /**< levels are held back (SPEC 8) */
    uint8_t shown;       /**< level of the newest write on the bus, before gain */
    uint8_t gain;        /**< 255 = as authored */
    uint8_t chip_id;     /**< 0: not read yet */
    uint8_t diagnosis;   /**< enum bridge_calibration, of the last DIAGNOSE, in the high nibble */
    uint16_t supply_mv;  /**< 0: not known */
    uint16_t heat_due;   /**< what it bears is counted from this time on (drv2605_time) */
    int32_t heat;        /**< borne beyond what it stands for ever */
    struct configuration configuration;
    struct lock lock;
};

/** Whether an actuator is in a mask that is not empty: with a single one, it is. */
static inline bool actuator_is_in(uint16_t mask, uint8_t index) {
    return BRIDGE_ACTUATOR_COUNT == 1 || (mask >> index & 1);
}

/** Before the chip is known: what is not 0 then. */
void actuator_init(struct actuator *actuator);

/** level x gain / 255, rounded half up. */
uint8_t actuator_share(uint8_t level, uint8_t gain);

/** Counts what the actuator has borne. True if from now on its budget holds levels back (SPEC 8).
 */
bool actuator_bear(struct actuator *actuator, uint16_t now);

/** What a level becomes in the chip's RTP_INPUT: gain, mute, curve, clamp, format (SPEC 6, 8). */
uint8_t actuator_value(const struct actuator *actuator, uint8_t level);

#endif
