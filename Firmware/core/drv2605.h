/*
 * The DRV2605 driver: start-up, waking, coming to rest, calibration and health, as a sequence of
 * single register transfers. It asks for a transfer, is told its result, and looks at the time.
 */
#ifndef BRIDGE_DRV2605_H
#define BRIDGE_DRV2605_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"
#include "bus.h"
#include "drv2605_registers.h"

/** The driver's time, which it is always told: 256 us a count, the first of which may have begun
    before. */
static inline uint16_t drv2605_time(uint32_t now_us) {
    union {
        uint32_t us;
        struct __attribute__((packed)) {
            uint8_t low;
            uint16_t counts;
        } parts;
    } time = {.us = now_us};
    return time.parts.counts;
}

/**
 * Sets the chip up from nothing; used at boot and after any fault. EN stays low until the chip
 * must be ready, and the first transfer after it rises is the reset: a chip that kept its power
 * kept its level too, and drives it from EN on (SLOS854D p. 21).
 */
void drv2605_start(struct actuator *actuator, uint16_t now);

/** Wakes a chip at rest: level 0 first, then real-time playback mode, then a look at its registers.
 */
void drv2605_wake(struct actuator *actuator, uint16_t now);

/** True while the brake window lasts: the chip shows level 0 in real-time playback mode, and may be
    woken as if it were at rest, if none of its transfers is on the bus. */
bool drv2605_is_braking(const struct actuator *actuator);

/** True while the chip may drive its actuator: awake or calibrating, and not coming to rest yet. */
bool drv2605_is_running(const struct actuator *actuator);

/** True if the chip should have been looked at long ago. */
bool drv2605_is_overdue(const struct actuator *actuator, uint16_t now);

/** True if the transfer that the driver wants is to wait no longer: it makes the actuator safe, or
    has been put off for a while. */
bool drv2605_is_pressing(const struct actuator *actuator, uint16_t now);

/** True once levels may be written: the chip is in real-time playback mode. */
bool drv2605_is_ready(const struct actuator *actuator);

/** Brings an awake or calibrating chip to rest: level 0, brake window, standby, each verified. */
void drv2605_rest(struct actuator *actuator, uint16_t now);

/** Begins auto-calibration or, if `diagnose`, the diagnostics of SLOS854D 8.3.2; from rest. */
void drv2605_calibrate(struct actuator *actuator, bool diagnose, uint16_t now);

/** Ends a calibration or a diagnosis that runs, as one that has failed. */
void drv2605_cancel_calibration(struct actuator *actuator, uint16_t now);

/** True while a calibration or a diagnosis may drive the actuator, whatever its level is. */
bool drv2605_drives_by_itself(const struct actuator *actuator);

/** True while EN is high and the chip has not been reset yet: it may drive what it has kept. */
bool drv2605_is_unquieted(const struct actuator *actuator);

/** True while the transfers that the driver wants take away what the chip drives. */
bool drv2605_is_urgent(const struct actuator *actuator);

/** EN low: the chip drives nothing from here on. `fault` says why: an ACTUATOR_FAULT. */
void drv2605_shut_down(struct actuator *actuator, uint8_t fault);

/** Whether the driver wants a register transfer now. Raises EN first, when its time has come and it
    `may_enable` the chip; the port sets the pin before the next question. */
bool drv2605_wants_transfer(struct actuator *actuator, uint16_t now, bool may_enable);

/** Fills in the register transfer that the driver wants. */
void drv2605_next_transfer(struct actuator *actuator, struct bridge_transfer *transfer);

/** The result of a transfer that drv2605_next_transfer asked for. */
void drv2605_done(struct actuator *actuator, bool ok, uint8_t value, uint16_t now);

/** Latches what the chip says in STATUS of heat or a short, if a step has read that; true if so.
   The chip forgets it as it is read. Of those before it is set up nothing is left. */
bool drv2605_note_protection(struct actuator *actuator, uint8_t step, uint8_t status);

/** True while the chip resets: it need not acknowledge. */
bool drv2605_may_be_silent(const struct actuator *actuator);

/** True while the transfers that the driver wants make the actuator safe: they precede all else. */
bool drv2605_is_coming_to_rest(const struct actuator *actuator);

#endif
