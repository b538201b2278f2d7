/*
 * One actuator: its configuration, its levels and its thermal budget, and the state of the chip
 * that drives it. The driver moves that state; the bus and the player read it.
 */
#ifndef BRIDGE_ACTUATOR_H
#define BRIDGE_ACTUATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "../../protocol/bridge_protocol.h"
#include "../support/limits.h"
#include "configuration.h"

/** The greatest heat that is counted: beyond any budget. */
#define BRIDGE_HEAT_MAX ((int32_t)0xFFFFFF)

/** A fault of an actuator (BRIDGE_FAULT_...) in one byte. */
#define ACTUATOR_FAULT(fault) ((uint8_t)((fault) >> ACTUATOR_FAULT_SHIFT))
#define ACTUATOR_FAULT_SHIFT 4
#ifndef __cplusplus
_Static_assert(BRIDGE_FAULT_BUS >> ACTUATOR_FAULT_SHIFT == 1 &&
                   BRIDGE_FAULT_REST >> ACTUATOR_FAULT_SHIFT == 0x80,
               "the first and the last of them");
#endif

/**
 * An actuator. The driver writes the fields from `state` to `read`, and of the others `faults`,
 * `is_enabled`, `has_stopped`, `shown` (0 in each new state, in one critical section with `step`),
 * `needs_rewrite`, `chip_id`, `diagnosis`, `supply_mv` and the calibration in the configuration.
 * The core discards the result of a transfer if `step` has changed since the transfer was asked
 * for.
 */
struct actuator {
    uint8_t state;    /**< enum bridge_actuator_state */
    uint8_t step;     /**< the driver's present step */
    uint8_t reg;      /**< the register that the step accesses */
    uint8_t operand;  /**< the byte that the step writes, or a mask for the byte that it reads */
    uint8_t mode;     /**< the chip's mode, as it was or will be written */
    uint8_t attempts; /**< failed attempts of the present step */
    uint8_t waits;    /**< for the end of a calibration */
    uint8_t failures; /**< writes of levels that failed in a row */
    uint8_t health;   /**< index of the next check of a chip that is awake */
    uint16_t due;     /**< the step acts from this time on (bridge_time_counts) */
    uint8_t read[2];  /**< the last two bytes that were read */
    uint8_t faults;   /**< new faults, as ACTUATOR_FAULT has them, until the bridge collects them */
    bool is_configured;
    bool is_enabled; /**< the state of the EN pin */
    bool is_muted;
    bool wake_requested; /**< a stream needs the actuator awake */
    bool has_stopped;    /**< it came to rest by itself, having run: all streams must end */
    bool needs_rewrite;  /**< the level shown is to be written again, for a new gain */
    bool is_over_budget; /**< levels are limited to what it withstands for ever (SPEC 8) */
    uint8_t shown;       /**< the level of the newest write on the bus, before gain */
    uint8_t gain;        /**< 255 = as authored */
    uint8_t chip_id;     /**< 0: not read yet */
    uint8_t diagnosis;   /**< enum bridge_calibration, of the last DIAGNOSE, in the high nibble */
    uint16_t supply_mv;  /**< 0: not known */
    uint16_t heat_due;   /**< heat is counted from this time on (bridge_time_counts) */
    int32_t heat;        /**< beyond what it withstands for ever, times 256 */
    struct configuration configuration;
    struct lock lock;
};

/** True if an actuator is in a mask that is not empty. The only one always is. */
static inline bool actuator_is_in(uint16_t mask, uint8_t index) {
    return BRIDGE_ACTUATOR_COUNT == 1 || (mask >> index & 1);
}

/** Sets the fields that are not 0 before the chip is known. */
void actuator_init(struct actuator *actuator);

/** level x gain / 255, rounded half up. */
uint8_t actuator_share(uint8_t level, uint8_t gain);

/** Counts the heat of the actuator. Returns true if its budget limits levels from now on (SPEC 8).
 */
bool actuator_update_thermal_budget(struct actuator *actuator, uint16_t now);

/** The value for the chip's level register: a level after gain, mute, curve, limit and format (SPEC
    6, 8). */
uint8_t actuator_value(const struct actuator *actuator, uint8_t level);

#endif
