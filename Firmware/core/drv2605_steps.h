/*
 * The steps that the DRV2605 driver goes through. Private to the driver: drv2605_steps.c says what
 * a step puts on the bus, drv2605_judge.c what its result means, drv2605.c how states change.
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
    STEP_ENABLE,
    STEP_RESET,
    STEP_RESET_WAIT,
    STEP_IDENTIFY,
    STEP_ZERO,
    STEP_LIBRARY,
    STEP_IMAGE,
    STEP_VERIFY_LIBRARY,
    STEP_VERIFY_IMAGE,

    /* Coming to rest, which begins with STEP_STOP_LEVEL */
    STEP_STANDBY,
    STEP_STANDBY_CHECK,
    STEP_STOP_LEVEL,
    STEP_STOP_CHECK,
    STEP_STOP_GO,

    /* Awake: from here on the chip may drive its actuator */
    STEP_WAKE_STATUS,
    STEP_WAKE_CLAMP,
    STEP_WAKE_FEEDBACK,
    STEP_WAKE_CONTROL3,
    STEP_WAKE_ZERO,
    STEP_WAKE_MODE,
    STEP_HEALTH,

    /* Calibration or diagnosis */
    STEP_CALIBRATION_MODE,
    STEP_CALIBRATION_GO,
    STEP_CALIBRATION_WAIT,
    STEP_CALIBRATION_CHECK,
    STEP_CALIBRATION_STATUS,
    STEP_CALIBRATION_COMP,
    STEP_CALIBRATION_BEMF,
    STEP_CALIBRATION_FEEDBACK,
};

#define DRV2605_HEALTH_US 33000u /* three registers in turn, each about every 100 ms */

/** The driver waits in quarters of a millisecond. */
#define DRV2605_QUARTERS(us) ((us) / 250)

/** The time so many quarters of a millisecond after `step_us`. */
uint32_t drv2605_after(const struct actuator *actuator, uint16_t quarters);

/** The register that the present step reads or writes. */
uint8_t drv2605_register(const struct actuator *actuator);

/** Where the configuration has the byte of a register of the image. */
uint8_t drv2605_image_offset(uint8_t reg);

/** Begins a step; its pause, if it has one, counts from `step_us`. */
void drv2605_go_to(struct actuator *actuator, uint8_t step);

/** Enters a state (enum bridge_actuator_state) and begins a step, its pause from `step_us` on. */
void drv2605_enter(struct actuator *actuator, uint8_t state, uint8_t step);

/** Brings an awake or calibrating chip to rest. */
void drv2605_stop(struct actuator *actuator);

/** Ends a calibration or a diagnosis with an outcome (enum bridge_calibration), and comes to rest.
 */
void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome);

/** The chip was found reset: it is stopped and set up anew. */
void drv2605_lose_chip(struct actuator *actuator);

/** The step has failed: again, or the safest way out that is left. */
void drv2605_fail(struct actuator *actuator);

/** Judges the byte that the step has read: true if the next step follows. */
bool drv2605_judge(struct actuator *actuator, uint8_t value);

#endif
