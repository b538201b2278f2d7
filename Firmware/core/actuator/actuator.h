/*
 * One actuator: its configuration, its levels and its thermal budget, and the state of the chip
 * that drives it. The driver changes the state; the bus and the player read it.
 */
#ifndef BRIDGE_ACTUATOR_H
#define BRIDGE_ACTUATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "../../protocol/bridge_protocol.h"
#include "../support/compiler.h"
#include "../support/limits.h"
#include "configuration.h"

/** The time, in microseconds, at which the chip began to drive a value. The low half of the time is
    sufficient for a port that calls the core at least every 16 ms; such a port defines
    BRIDGE_POLLED_WITHIN_16_MS. */
#ifdef BRIDGE_POLLED_WITHIN_16_MS
typedef uint16_t driven_time;
#define DRIVEN_AHEAD_MAX 4096u
#else
typedef uint32_t driven_time;
#define DRIVEN_AHEAD_MAX 0x100000u
#endif

/** The longest positive span. A longer span represents a negative span: an interrupt or an earlier
    call has recorded a time that is up to one round later than the time of the loop. */
#define DRIVEN_SPAN_MAX ((driven_time)(0u - DRIVEN_AHEAD_MAX))

/** The shift that converts work to heat: log2 of BRIDGE_HEAT_STEP_US. */
#define ACTUATOR_HEAT_SHIFT 10
/** The maximum number of intervals of 65 ms that are counted; full level for this time exceeds any
    budget. */
#define ACTUATOR_LONGEST 1023

/** Encodes a fault of an actuator (BRIDGE_FAULT_...) in one byte. */
#define ACTUATOR_FAULT(fault) ((uint8_t)((fault) >> ACTUATOR_FAULT_SHIFT))
#define ACTUATOR_FAULT_SHIFT 4
#ifndef __cplusplus
_Static_assert(BRIDGE_FAULT_BUS >> ACTUATOR_FAULT_SHIFT == 1 &&
                   BRIDGE_FAULT_REST >> ACTUATOR_FAULT_SHIFT == 0x80,
               "the faults of an actuator must fit in one byte");
#endif

/** An actuator. The driver writes the fields from `state` to `read`. The driver also writes
    `faults`, `is_enabled`, `has_stopped`, `shown` (0 in each new state, in one critical section
    with `step`), `needs_rewrite`, `chip_id`, `diagnosis`, `vbat`, `lra_period`, `mismatches`,
    `heat` (actuator_warm) and the calibration in the configuration. The core discards the result of
    a transfer if `step` has changed since the transfer was requested. */
struct actuator {
    uint8_t state;    /**< enum bridge_actuator_state */
    uint8_t step;     /**< the current step of the driver */
    uint8_t reg;      /**< the register that the step accesses */
    uint8_t operand;  /**< the byte that the step writes, or a mask for the byte that it reads */
    uint8_t mode;     /**< the mode that has been or will be written to the chip */
    uint8_t attempts; /**< failed attempts of the current step */
    uint8_t waits;    /**< unsuccessful reads of a step that reads several times */
    uint8_t failures; /**< consecutive failed writes of levels */
    uint8_t health;   /**< index of the next check of a chip that is awake */
    uint16_t due;     /**< the time at which the step becomes due (bridge_time_counts) */
    uint8_t read[2];  /**< the last two bytes that were read */
    uint8_t faults;   /**< new faults, encoded by ACTUATOR_FAULT, until the bridge collects them */
    bool is_configured;
    bool is_enabled; /**< the state of the EN pin */
    bool is_muted;
    bool wake_requested; /**< a stream requires the actuator to be awake */
    bool has_stopped;    /**< the actuator came to rest on its own while it was running; all streams
                            must end */
    bool needs_rewrite;  /**< the shown level must be written again, because the gain has changed */
    bool is_over_budget; /**< levels are limited to the sustained level (SPEC 8) */
    uint8_t shown;       /**< the level of the newest write on the bus, before gain */
    uint8_t gain;        /**< 255: full strength */
    uint8_t chip_id;     /**< 0: not read yet */
    uint8_t diagnosis;   /**< enum bridge_calibration, of the last DIAGNOSE, in the high nibble */
    uint8_t vbat;        /**< VBAT as last measured; 0: unknown */
    uint8_t lra_period;  /**< LRA_PERIOD as last measured; 0: unknown */
    uint8_t mismatches;  /**< consecutive reads of a level other than `driven` */
    uint8_t driven;      /**< the value that the chip drives, or the maximum that it may drive */
    driven_time driven_us; /**< `work` includes the drive up to this time */
    uint32_t work;         /**< the work that has not been added to `heat` yet, in value^2 x us */
    uint32_t heat;         /**< the excess over the work of the sustained level, in value^2 x
                              BRIDGE_HEAT_STEP_US */
    driven_time heat_us;   /**< `heat` includes the drive up to this time */
    struct configuration configuration;
    struct lock lock;
};

/** True if a mask, which must not be empty, contains an actuator. In a build with one actuator, the
    result is always true. */
static inline bool actuator_is_in(uint16_t mask, uint8_t index) {
    return BRIDGE_ACTUATOR_COUNT == 1 || (mask >> index & 1);
}

/** Initializes the fields whose initial values are not 0. */
void actuator_init(struct actuator *actuator);

/** Returns level x gain / 255, rounded half up. */
uint8_t actuator_share(uint8_t level, uint8_t gain);

/** Returns the shift that converts the work of an actuator to heat. */
uint8_t actuator_heat_shift(const struct actuator *actuator);

/** Adds to the heat of an actuator; the sum saturates. */
void actuator_warm(struct actuator *actuator, uint32_t heat);

/** Adds the work that results from driving a value for a time to `work`, and returns the sum. If
   the sum exceeds 32 bits (65 ms of full level), the excess is added to the heat. */
BRIDGE_INLINE uint32_t actuator_add_work(struct actuator *actuator, uint32_t work, uint8_t value,
                                         driven_time span_us) {
    uint16_t square = (uint16_t)((uint16_t)value * value);
    uint32_t more = (uint32_t)square * (uint16_t)span_us;
    work += more;
#ifndef BRIDGE_POLLED_WITHIN_16_MS
    uint32_t longer = span_us >> 16;
    if (longer || work < more) {
        uint8_t shift = actuator_heat_shift(actuator);
        longer = longer < ACTUATOR_LONGEST ? longer : ACTUATOR_LONGEST;
        actuator_warm(actuator, (square * longer) << (16 - shift));
        actuator_warm(actuator, work < more ? UINT32_C(1) << (32 - shift) : 0);
    }
#else
    (void)actuator;
#endif
    return work;
}

/** Records that the chip drives `value` from `now_us` on. An interrupt may call this function only
    if the port calls the core so often that this function never adds to the heat. */
BRIDGE_INLINE void actuator_drive(struct actuator *actuator, uint8_t value, driven_time now_us) {
    driven_time span_us = (driven_time)(now_us - actuator->driven_us);
    uint8_t driven = actuator->driven;
    actuator->driven = value;
    if (span_us <= DRIVEN_SPAN_MAX) {
        actuator->driven_us = now_us;
        actuator->work = actuator_add_work(actuator, actuator->work, driven, span_us);
    }
}

/** True while EN must stay low because the actuator must cool down. */
static inline bool actuator_must_cool(const struct actuator *actuator) {
    return actuator->is_over_budget && !actuator->is_enabled;
}

/** Updates the heat of the actuator. Returns true if the budget begins to limit the levels of the
    actuator (SPEC 8). */
bool actuator_update_thermal_budget(struct actuator *actuator, uint32_t now_us);

/** Returns the value of the chip's level register for a level, after gain, mute, curve, limit and
    format (SPEC 6, 8). */
uint8_t actuator_value(const struct actuator *actuator, uint8_t level);

#endif
