/*
 * The steps that the DRV2605 driver goes through, and the registers they touch. Private to the
 * driver: drv2605.c decides what follows a step, drv2605_steps.c what it puts on the bus.
 */
#ifndef DRV2605_STEPS_H
#define DRV2605_STEPS_H

#include <stdint.h>

#include "../protocol/bridge_protocol.h"
#include "drv2605_registers.h"

enum drv2605_step {
    STEP_NONE,
    STEP_RESET,
    STEP_RESET_WAIT,
    STEP_IDENTIFY,
    STEP_ZERO,
    STEP_IMAGE,
    STEP_VERIFY,
    STEP_STANDBY,
    STEP_STANDBY_CHECK,
    STEP_WAKE_ZERO,
    STEP_WAKE_MODE,
    STEP_HEALTH,
    STEP_STOP_LEVEL,
    STEP_STOP_CHECK,
    STEP_STOP_GO,
    STEP_CALIBRATION_MODE,
    STEP_CALIBRATION_GO,
    STEP_CALIBRATION_WAIT,
    STEP_CALIBRATION_STATUS,
    STEP_CALIBRATION_READ,
};

#define DRV2605_IMAGE_SIZE_WITHOUT_L (BRIDGE_IMAGE_SIZE - 2)
#define DRV2605_CALIBRATED_COUNT 3
#define DRV2605_HEALTH_COUNT 3

/** The register image in the order of SPEC 8; the last two exist on the DRV2605L only. */
extern const uint8_t drv2605_image_registers[BRIDGE_IMAGE_SIZE];

/** What calibration finds out. */
extern const uint8_t drv2605_calibrated_registers[DRV2605_CALIBRATED_COUNT];

/** What is read in turn while awake. */
extern const uint8_t drv2605_health_registers[DRV2605_HEALTH_COUNT];

#endif
