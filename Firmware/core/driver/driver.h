/*
 * The driver of the haptic chips: the only part of the core that depends on their registers.
 *
 * The driver sets up, wakes, stops, calibrates and checks chips with sequences of single register
 * transfers. The bus requests the next transfer of an actuator and reports its result; no function
 * waits. Time is in counts of 256 us (bridge_time_counts).
 *
 * One driver is selected at compile time: by default the driver of the DRV2605 family, in the files
 * of this folder. A new driver implements the functions of this header in its own files, and adds
 * its constants to driver_constants.h. Firmware/NewDriver.md describes the steps.
 */
#ifndef BRIDGE_DRIVER_H
#define BRIDGE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "../actuator/actuator.h"
#include "../bus/transfer.h"
#include "../support/compiler.h"
#include "driver_constants.h"

/* ---- Levels and configurations ----------------------------------------------------------- */

/** Fills in the transfer that writes a value to a register of the chip. */
BRIDGE_INLINE void driver_put(struct bridge_transfer *transfer, uint8_t reg, uint8_t value) {
    transfer->reg = reg;
    transfer->value = value;
    transfer->is_read = false;
}

/** Fills in the transfer that writes a value to the chip's level register. */
BRIDGE_INLINE void driver_put_level(struct bridge_transfer *transfer, uint8_t value) {
    driver_put(transfer, DRIVER_LEVEL_REGISTER, value);
}

/** True if the frequency of the actuator follows the sharpness (SPEC 8.9). */
static inline bool driver_has_band(const struct configuration *configuration) {
    return BRIDGE_HAS_BAND && configuration->bytes[CONFIGURATION_KIND] == BRIDGE_KIND_WIDE_BAND;
}

/** Returns the value of the frequency register for a sharpness. The actuator must have a band. */
uint8_t driver_tone(const struct configuration *configuration, uint8_t sharpness);

/** True if a transfer writes to the chip's level register. */
static inline bool driver_sets_level(const struct bridge_transfer *transfer) {
    return transfer->reg == DRIVER_LEVEL_REGISTER && !transfer->is_read;
}

/** True if a write to a chip writes to its frequency register. */
static inline bool driver_sets_tone(const struct bridge_transfer *transfer) {
    return BRIDGE_HAS_BAND && transfer->reg == DRIVER_TONE_REGISTER;
}

/** Returns the supply voltage that the chip last measured, in mV; 0 if the voltage is unknown. */
uint16_t driver_supply_mv(const struct actuator *actuator);

/** True if the chip's level register has eight bits in this configuration, and false if the
    register has seven bits. */
bool driver_takes_8_bits(const struct configuration *configuration);

/** True if the configuration drives its actuator in an open loop. */
bool driver_has_open_loop(const struct configuration *configuration);

/** Returns the mask of the bits in a byte of a configuration that are results of a calibration,
    including its outcome. */
uint8_t driver_calibration_mask(uint8_t offset);

/** Sets the calibration results in a configuration to the values of a chip that has never been
    calibrated. */
void driver_forget_calibration(struct configuration *configuration);

/** Returns the value of the level register for full level. */
static inline uint8_t driver_full_value(const struct configuration *configuration) {
    return driver_takes_8_bits(configuration) ? UINT8_MAX : UINT8_MAX / 2;
}

/** The result of driver_find_inconsistent_byte for a consistent configuration. */
#define DRIVER_CONSISTENT 0xFF

/** Returns the offset of a byte that contradicts other bytes, or that the driver must not write;
    DRIVER_CONSISTENT if no byte is inconsistent. */
uint8_t driver_find_inconsistent_byte(const struct configuration *configuration);

/** Checks that the voltages that the image sets agree with the voltages that the configuration
    states. */
struct configuration_fault driver_check_voltages(const struct configuration *configuration);

/* ---- States ------------------------------------------------------------------------------ */

/** Sets up the chip, beginning with its reset: at boot, for a new configuration, and after any
    fault. EN stays low until the first transfer is due. This first transfer is the reset, because a
    chip that has kept its power has also kept its level, and drives that level as soon as EN is
    high (SLOS854D p. 21). */
void driver_start(struct actuator *actuator, uint16_t now);

/** Wakes a chip at rest: checks that its level is 0, starts real-time playback, and checks the
    registers of the chip. */
void driver_wake(struct actuator *actuator, uint16_t now);

/** Brings an awake or calibrating chip to rest: sets level 0, waits for the brake window, and sets
    standby. Level and standby are read back. */
void driver_rest(struct actuator *actuator, uint16_t now);

/** Starts a calibration or, if `diagnose` is true, a diagnosis of a chip at rest. */
void driver_calibrate(struct actuator *actuator, bool diagnose, uint16_t now);

/** Ends a running calibration or diagnosis as failed. */
void driver_cancel_calibration(struct actuator *actuator, uint16_t now);

/** Sets EN low, so that the chip does not drive. Latches the reason in `faults`: `fault`, encoded
    as an ACTUATOR_FAULT. Sets `shown` to 0, and cancels a pending rewrite of the level. If the
    actuator had been set up, the actuator enters the state FAULT with `has_stopped` set, so that
    its streams end. If the set-up was in progress, the actuator stays STARTING and has failed to
    start, until driver_give_up or driver_start is called. */
void driver_shut_down(struct actuator *actuator, uint8_t fault);

/** True if the set-up of an actuator has failed and driver_give_up has not been called since
    then. */
bool driver_has_failed_to_start(const struct actuator *actuator);

/** Gives up an actuator that has failed to start: sets its state to FAULT. On a board with one
    actuator, the function also sets `has_stopped`. */
void driver_give_up(struct actuator *actuator);

/** True while levels may be written. */
bool driver_is_ready(const struct actuator *actuator);

/** True while the chip is awake or calibrating, and may therefore drive its actuator; false once
    the chip is coming to rest. */
bool driver_is_running(const struct actuator *actuator);

/** True while the chip may drive its actuator: until level 0 has been read back. */
bool driver_may_drive(const struct actuator *actuator);

/** True while a calibration or a diagnosis may drive the actuator independently of its level. */
bool driver_drives_by_itself(const struct actuator *actuator);

/** True during the brake window, while the level of the chip is 0. Unless one of its transfers is
   on the bus, the chip may then be woken as if it were at rest. */
bool driver_is_braking(const struct actuator *actuator);

/** True while EN is high but the reset of the chip has not been confirmed, so the chip may be
    driving its previous level. */
bool driver_is_unquieted(const struct actuator *actuator);

/* ---- Transfers --------------------------------------------------------------------------- */

/** Returns true if the driver has a register transfer to make now. If the transfer requires EN to
    be high but EN is low, returns false, and raises EN if `may_enable` is true; the port sets the
    pin before the next call. */
bool driver_prepare_transfer(struct actuator *actuator, uint16_t now, bool may_enable);

/** Fills in the next register transfer of the driver. */
void driver_next_transfer(struct actuator *actuator, struct bridge_transfer *transfer);

/** Handles the result of the transfer that driver_next_transfer filled in. */
void driver_done(struct actuator *actuator, bool ok, uint8_t value, uint16_t now);

/** If the byte that a step has read reports over-temperature or over-current, latches a fault and
    returns true. Reading the byte clears the report in the chip. Has no effect if the byte was read
   before the chip has been set up. */
bool driver_record_protection(struct actuator *actuator, uint8_t step, uint8_t status);

/** True while the chip is executing a reset or EN is low, so that the chip might not
    acknowledge. */
bool driver_may_be_silent(const struct actuator *actuator);

/** True while the driver's transfers bring the actuator to rest. These transfers have precedence
    over all other transfers. */
bool driver_is_coming_to_rest(const struct actuator *actuator);

/** True while the driver's transfers stop the drive of the chip. These transfers have precedence
    over the checks of other chips. */
bool driver_is_urgent(const struct actuator *actuator);

/** True if a transfer of the driver is due at the given time or earlier. */
bool driver_is_due(const struct actuator *actuator, uint16_t now);

/** True if the check of the chip is long overdue. */
bool driver_is_overdue(const struct actuator *actuator, uint16_t now);

#endif
