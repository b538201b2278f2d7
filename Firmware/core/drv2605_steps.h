/*
 * The steps that the DRV2605 driver goes through. Private to the driver: drv2605_steps.c says what
 * a step puts on the bus and expects from it, drv2605_judge.c what follows, drv2605.c how states
 * change.
 */
#ifndef DRV2605_STEPS_H
#define DRV2605_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"

/** In the order in which they follow one another: a step that succeeds goes on to the next, unless
    drv2605_judge.c says otherwise. */
enum drv2605_step {
    STEP_NONE,

    /* Setting up */
    STEP_RESET,
    STEP_RESET_WAIT,
    STEP_IDENTIFY,
    STEP_ZERO,
    STEP_IMAGE,
    STEP_VERIFY,

    /* Coming to rest, which begins with a STEP_STOP */
    STEP_STANDBY,
    STEP_STANDBY_CHECK,
    STEP_STOP_GO,
    STEP_STOP_LEVEL,
    STEP_STOP_CHECK,

    /* Calibration or diagnosis: from here on the chip may drive its actuator. The registers are
       looked at behind the mode, as below. */
    STEP_CALIBRATION_MODE,
    STEP_CALIBRATION_LOOK_AT_CLAMP,
    STEP_CALIBRATION_LOOK_AT_FEEDBACK,
    STEP_CALIBRATION_LOOK_AT_CONTROL3,
    STEP_CALIBRATION_GO,
    STEP_CALIBRATION_WAIT,
    STEP_CALIBRATION_CHECK,
    STEP_CALIBRATION_STATUS,
    STEP_CALIBRATION_COMP,
    STEP_CALIBRATION_BEMF,
    STEP_CALIBRATION_FEEDBACK,

    /* Awake; from STEP_HEALTH on levels may be written. The registers are looked at behind the
       mode: a chip that is reset before it has them no more, one that is reset after it is in
       standby. */
    STEP_WAKE_STATUS,
    STEP_WAKE_ZERO,
    STEP_WAKE_MODE,
    STEP_WAKE_CLAMP,
    STEP_WAKE_FEEDBACK,
    STEP_WAKE_CONTROL3,
    STEP_HEALTH,
    STEP_HEALTH_MODE = STEP_HEALTH,
    STEP_HEALTH_STATUS,
    STEP_HEALTH_SUPPLY,
};

#define DRV2605_RETRY 2u    /* counts until an attempt is repeated */
#define DRV2605_HEALTH 128u /* three registers in turn, each about every 100 ms */

/** Beside a register: it is read. Beside that: it must hold what the step before has written. */
#define DRV2605_READ 0x80
#define DRV2605_BACK 0x40
#define DRV2605_REG_MASK 0x3F

/** Puts the present step off by so many counts. */
void drv2605_wait(struct actuator *actuator, uint16_t counts);

/** Begins a step; its pause, if it has one, counts from `due`. */
void drv2605_go_to(struct actuator *actuator, uint8_t step);

/** Whether the byte that was read is what the present step expects; true after a write. */
bool drv2605_is_as_expected(const struct actuator *actuator, uint8_t value);

/** Enters a state (enum bridge_actuator_state) and begins a step, its pause from `due` on. */
void drv2605_enter(struct actuator *actuator, uint8_t state, uint8_t step);

/** Brings an awake or calibrating chip to rest. */
void drv2605_stop(struct actuator *actuator);

/** Ends a calibration or a diagnosis with an outcome (enum bridge_calibration), and comes to rest.
 */
void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome);

/** Sets the chip up from nothing, from `due` on. */
void drv2605_set_up(struct actuator *actuator);

/** The step has failed: again, or the safest way out that is left. */
void drv2605_fail(struct actuator *actuator);

#endif
