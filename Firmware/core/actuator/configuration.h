/* The configuration and the lock of an actuator (SPEC 8), in the format that is used on the wire
   and in storage. */
#ifndef BRIDGE_CONFIGURATION_H
#define BRIDGE_CONFIGURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "../../protocol/bridge_protocol.h"

/** The size of a configuration on the wire and in storage, in bytes. */
#define CONFIGURATION_SIZE (BRIDGE_CONFIGURE_SIZE - 1)

/** A configuration in its wire format. Fields are read by offset, so that checks, storage and
    answers share one format. */
struct configuration {
    uint8_t bytes[CONFIGURATION_SIZE];
};

/** Offsets of the fields. The driver defines the offsets within the image. */
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
    CONFIGURATION_IMAGE = 21,     /**< 12 bytes, values of the chip's registers */
    CONFIGURATION_SUSTAINED = 33, /**< u8, a level */
    CONFIGURATION_BUDGET = 34,    /**< u16, ms */
    CONFIGURATION_NAME = 36,     /**< 12 bytes; the plant, which is only stored, follows (SPEC 8) */
    CONFIGURATION_BAND_END = 52, /**< u16, 0.1 Hz, of an actuator with a band (SPEC 8.9) */
    CONFIGURATION_BAND_PERIOD = 54, /**< u8, the period of that frequency */
};

/** A fault in a configuration: a reject code, the offset of the faulty byte, and the nearest legal
    value. */
struct configuration_fault {
    uint8_t code; /**< enum bridge_reject_code; 0: no fault */
    uint8_t offset;
    uint16_t limit;
};

/** The size of a lock in storage, in bytes. */
#define LOCK_SIZE 10

/** The limits that every configuration of an actuator must satisfy (SPEC 8.6). A lock of zeros sets
    no limits. */
struct lock {
    uint8_t bytes[LOCK_SIZE];
};

enum lock_offset {
    LOCK_KIND = 0, /**< includes LOCK_OPEN_LOOP */
    LOCK_SUSTAINED = 1,
    LOCK_WORDS = 2, /**< resonance, rated, overdrive, budget */
};

#define LOCK_OPEN_LOOP 0x80

/** The kind that marks a lock that can no longer be read. Configurations never have this kind. */
#define LOCK_DAMAGED 0x7F

/** True if a lock sets limits. */
static inline bool lock_is_set(const struct lock *lock) { return lock->bytes[LOCK_KIND]; }

/** Sets the limits of a lock to the values in a configuration. */
void lock_take(struct lock *lock, const struct configuration *configuration);

/** Checks a configuration against the limits of SPEC 8, the limits of the driver, and a lock. */
struct configuration_fault configuration_check(const struct configuration *configuration,
                                               const struct lock *lock);

/** Returns the length, in microseconds, of a tap with the given sharpness. */
uint16_t configuration_tap_us(const struct configuration *configuration, uint8_t sharpness);

#endif
