#include "configuration.h"

#include "../driver/driver.h"
#include "../support/bytes.h"
#include "../support/compiler.h"
#include "../support/flash.h"

#define TAP_SHARP_MIN_US 1000
#define BRAKE_MIN_MS 10
#define SUSTAINED_MIN 16 /* with a lower sustained level, the heat would never decrease */

static uint16_t word_at(const uint8_t *bytes, uint8_t offset) { return bridge_u16(&bytes[offset]); }

static struct configuration_fault fault(uint8_t code, uint8_t offset, uint16_t limit) {
    return (struct configuration_fault){.code = code, .offset = offset, .limit = limit};
}

/* The limits of individual fields: a maximum for each field that is in millivolts, and a minimum
   for every other field. A limit of 0 represents the value of the field in the preceding row. The
   fields at offsets below CONFIGURATION_RISE are words. */
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

/* The words of a configuration that a lock limits (SPEC 8.6), in the order of the lock's bytes. The
   resonance must equal the resonance in the lock; the other words must not exceed the values in the
   lock. */
static const uint8_t locked_words[] BRIDGE_FLASH = {
    CONFIGURATION_RESONANCE,
    CONFIGURATION_RATED,
    CONFIGURATION_OVERDRIVE,
    CONFIGURATION_BUDGET,
};

/* Returns the actuator kind and the open-loop flag of a configuration, encoded as in a lock. */
static uint8_t kind_of(const struct configuration *configuration) {
    uint8_t kind = configuration->bytes[CONFIGURATION_KIND];
    return driver_has_open_loop(configuration) ? kind | LOCK_OPEN_LOOP : kind;
}

static struct configuration_fault check_lock(const struct configuration *configuration,
                                             const struct lock *lock) {
    const uint8_t *bytes = configuration->bytes;
    if (kind_of(configuration) != lock->bytes[LOCK_KIND]) {
        return fault(BRIDGE_REJECT_RANGE, CONFIGURATION_KIND, lock->bytes[LOCK_KIND]);
    }
    if (bytes[CONFIGURATION_SUSTAINED] > lock->bytes[LOCK_SUSTAINED]) {
        return fault(BRIDGE_REJECT_LIMIT, CONFIGURATION_SUSTAINED, lock->bytes[LOCK_SUSTAINED]);
    }
    for (uint8_t index = 0; index < sizeof locked_words; index++) {
        uint8_t offset = bridge_flash_byte(&locked_words[index]);
        uint16_t locked = bridge_u16(&lock->bytes[LOCK_WORDS + 2 * index]);
        uint16_t word = word_at(bytes, offset);
        if (word > locked) {
            return fault(BRIDGE_REJECT_LIMIT, offset, locked);
        }
        if (offset == CONFIGURATION_RESONANCE && word != locked) {
            return fault(BRIDGE_REJECT_RANGE, offset, locked);
        }
    }
    return fault(BRIDGE_REJECT_NONE, 0, 0);
}

BRIDGE_NOINLINE void lock_take(struct lock *lock, const struct configuration *configuration) {
    lock->bytes[LOCK_KIND] = kind_of(configuration);
    lock->bytes[LOCK_SUSTAINED] = configuration->bytes[CONFIGURATION_SUSTAINED];
    for (uint8_t index = 0; index < sizeof locked_words; index++) {
        uint8_t offset = bridge_flash_byte(&locked_words[index]);
        lock->bytes[LOCK_WORDS + 2 * index] = configuration->bytes[offset];
        lock->bytes[LOCK_WORDS + 2 * index + 1] = configuration->bytes[offset + 1];
    }
}

/* Checks a configuration. The order of the checks determines the reported fault. The function first
   checks for contradictions between bytes, then ranges, then the lock, and last the voltages, which
   are computed from the other fields. */
struct configuration_fault configuration_check(const struct configuration *configuration,
                                               const struct lock *lock) {
    const uint8_t *bytes = configuration->bytes;
    uint8_t offset = driver_find_inconsistent_byte(configuration);
    if (offset != DRIVER_CONSISTENT) {
        return fault(BRIDGE_REJECT_RANGE, offset, offset == CONFIGURATION_KIND);
    }
    struct configuration_fault found = check_ranges(bytes);
    if (!found.code && lock_is_set(lock)) {
        found = check_lock(configuration, lock);
    }
    return found.code ? found : driver_check_voltages(configuration);
}

/* Interpolates between the lengths of a dull and a sharp tap. Using units of 1/65536 instead of
   1/65535 causes an error of at most one microsecond. */
uint16_t configuration_tap_us(const struct configuration *configuration, uint8_t sharpness) {
    uint16_t dull = word_at(configuration->bytes, CONFIGURATION_TAP_DULL);
    uint16_t sharp = word_at(configuration->bytes, CONFIGURATION_TAP_SHARP);
    uint16_t fraction = (uint16_t)(sharpness * 257u);
    uint32_t shorter = (uint32_t)(uint16_t)(dull - sharp) * fraction + 0x8000;
    return (uint16_t)(dull - (shorter >> 16));
}
