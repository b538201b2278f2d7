/*
 * The steps of the DRV2605 driver, private to the driver. drv2605_steps.c contains the transfer of
 * each step, drv2605_results.c handles the results, and drv2605.c changes states.
 */
#ifndef DRV2605_STEPS_H
#define DRV2605_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "../actuator/actuator.h"
#include "drv2605_registers.h"

/** Steps in the order of execution: after a successful step, the next step follows, unless
    drv2605_results.c selects another step. */
enum drv2605_step {
    DRV2605_STEP_NONE,

    /* Setting up */
    DRV2605_STEP_RESET,
    DRV2605_STEP_RESET_WAIT,
    DRV2605_STEP_IDENTIFY,
    DRV2605_STEP_ZERO,
    DRV2605_STEP_IMAGE,
    DRV2605_STEP_VERIFY,

    /* Coming to rest. The first step is DRV2605_STEP_STOP_LOOK; for a calibration or diagnosis, it
       is DRV2605_STEP_STOP_GO, after which DRV2605_STEP_STOP_LEVEL follows. */
    DRV2605_STEP_STANDBY,
    DRV2605_STEP_STANDBY_CHECK,
    DRV2605_STEP_STANDBY_LEVEL,
    DRV2605_STEP_STOP_LOOK,
    DRV2605_STEP_STOP_LEVEL,
    DRV2605_STEP_STOP_CHECK,
    DRV2605_STEP_STOP_GO,
    DRV2605_STEP_STOP_GO_CHECK,

    /* Calibration or diagnosis. From the following step on, the chip may drive its actuator. As in
       waking, the registers are checked after the mode has been written, because that order detects
       every reset. */
    DRV2605_STEP_CALIBRATION_MODE,
    DRV2605_STEP_CALIBRATION_LOOK_AT_CLAMP,
    DRV2605_STEP_CALIBRATION_LOOK_AT_FEEDBACK,
    DRV2605_STEP_CALIBRATION_LOOK_AT_CONTROL3,
    DRV2605_STEP_CALIBRATION_GO,
    DRV2605_STEP_CALIBRATION_WAIT,
    DRV2605_STEP_CALIBRATION_CHECK,
    DRV2605_STEP_CALIBRATION_STATUS,
    DRV2605_STEP_CALIBRATION_COMP,
    DRV2605_STEP_CALIBRATION_BEMF,
    DRV2605_STEP_CALIBRATION_FEEDBACK,
    /* After a diagnosis: the chip is accessed while EN is low. */
    DRV2605_STEP_DIAGNOSIS_DISABLED,

    /* Awake. From DRV2605_STEP_HEALTH on, levels may be written. The registers are checked after
       the mode has been written, because that order detects every reset: a chip that was reset
       before the check has lost its registers, and a chip that is reset later is in standby. */
    DRV2605_STEP_WAKE_STATUS,
    DRV2605_STEP_WAKE_LEVEL,
    DRV2605_STEP_WAKE_MODE,
    DRV2605_STEP_WAKE_CLAMP,
    DRV2605_STEP_WAKE_FEEDBACK,
    DRV2605_STEP_WAKE_CONTROL3,
    DRV2605_STEP_HEALTH,
    DRV2605_STEP_HEALTH_LEVEL = DRV2605_STEP_HEALTH,
    DRV2605_STEP_HEALTH_MODE,
    DRV2605_STEP_HEALTH_STATUS,
    DRV2605_STEP_HEALTH_SUPPLY,
    DRV2605_STEP_HEALTH_PERIOD,
};

#define DRV2605_RETRY 2u /* number of counts after which an attempt is repeated */
/* Counts from one check to the next: level, mode and status in turn, each about every 100 ms.
   Supply and period follow the level without a pause. */
#define DRV2605_HEALTH 128u
#define DRV2605_OVERDUE 32 /* counts: 8 ms */

/** Flags that are added to the number of a register. The first flag means that the step reads the
    register; the second flag means that the register must hold the byte that the preceding step has
    written. */
#define DRV2605_READ 0x80
#define DRV2605_BACK 0x40
#define DRV2605_REG_MASK 0x3F

/** Delays the current step by a number of counts. */
void drv2605_wait(struct actuator *actuator, uint16_t counts);

/** Begins a step. If the step begins with a pause, the pause is measured from `due`. */
void drv2605_go_to(struct actuator *actuator, uint8_t step);

/** True if the current step expects the byte that was read; always true after a write. */
bool drv2605_is_as_expected(const struct actuator *actuator, uint8_t value);

/** True if the current step reads the level, which may differ from the last written level. */
bool drv2605_looks_at_level(const struct actuator *actuator);

/** Enters a state (enum bridge_actuator_state), and begins a step whose pause is measured from
    `due`. */
void drv2605_enter(struct actuator *actuator, uint8_t state, uint8_t step);

/** Brings an awake or calibrating chip to rest. */
void drv2605_stop(struct actuator *actuator);

/** Ends a calibration or a diagnosis with an outcome (enum bridge_calibration), and brings the chip
    to rest. */
void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome);

/** Begins to set up the chip at the time `due`. The first step is the reset of the chip. */
void drv2605_set_up(struct actuator *actuator);

/** Handles the failure of a step: repeats the step, or takes the safest remaining action. */
void drv2605_fail(struct actuator *actuator);

#endif
