/*
 * The steps that the DRV2605 driver goes through, and the registers they touch. Private to the
 * driver: drv2605.c decides what follows a step, drv2605_steps.c what it puts on the bus.
 */
#ifndef DRV2605_STEPS_H
#define DRV2605_STEPS_H

#include <stdint.h>

#include "../protocol/bridge_protocol.h"
#include "actuator.h"
#include "drv2605_registers.h"

enum drv2605_step {
    STEP_NONE,
    STEP_ENABLE,
    STEP_RESET,
    STEP_RESET_WAIT,
    STEP_IDENTIFY,
    STEP_ZERO,
    STEP_IMAGE,
    STEP_VERIFY,
    STEP_STANDBY,
    STEP_STANDBY_CHECK,
    STEP_WAKE_CHECK,
    STEP_WAKE_ZERO,
    STEP_WAKE_MODE,
    STEP_HEALTH,
    STEP_STOP_LEVEL,
    STEP_STOP_CHECK,
    STEP_STOP_GO,
    STEP_CALIBRATION_MODE, /* from here on the chip may drive its actuator by itself */
    STEP_CALIBRATION_GO,
    STEP_CALIBRATION_WAIT,
    STEP_CALIBRATION_CHECK,
    STEP_CALIBRATION_STATUS,
    STEP_CALIBRATION_READ,
};

#define DRV2605_IMAGE_SIZE_WITHOUT_L (BRIDGE_IMAGE_SIZE - 2)
#define DRV2605_CALIBRATED_COUNT 3
#define DRV2605_HEALTH_COUNT 3
#define DRV2605_WAKE_COUNT 4

/** The register image in the order of SPEC 8; the last two exist on the DRV2605L only. */
extern const uint8_t drv2605_image_registers[BRIDGE_IMAGE_SIZE];

/** What calibration finds out. */
extern const uint8_t drv2605_calibrated_registers[DRV2605_CALIBRATED_COUNT];

/** What is read in turn while awake. */
extern const uint8_t drv2605_health_registers[DRV2605_HEALTH_COUNT];

/** What is read before waking. STATUS forgets what it has latched; a reset would have changed
    kind, format or clamp. */
extern const uint8_t drv2605_wake_registers[DRV2605_WAKE_COUNT];

/** The mode in which a calibration or a diagnosis runs. */
uint8_t drv2605_calibration_mode(const struct actuator *actuator);

/** The byte of the configuration's image for a register that is in it. */
uint8_t *drv2605_image(struct actuator *actuator, uint8_t reg);

/** Begins a step that acts from `at_us` on. */
void drv2605_go_to(struct actuator *actuator, uint8_t step, uint32_t at_us);

/** The chip was found reset: it is stopped and set up anew. */
void drv2605_lose_chip(struct actuator *actuator, uint32_t now_us);

/** Ends a calibration or a diagnosis with an outcome (enum bridge_calibration), and comes to rest.
 */
void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome, uint32_t now_us);

/** The result of a transfer of one of the steps of calibration. */
void drv2605_calibration_done(struct actuator *actuator, uint8_t value, uint32_t now_us);

#endif
