/* Auto-calibration and diagnostics (SLOS854D 8.5.6, 8.3.2), and what is believed of them. */
#include "drv2605.h"

#include "bridge_time.h"
#include "drv2605_steps.h"

#define GO_POLL_US 10000u       /* while a calibration runs */
#define CALIBRATION_US 2000000u /* it may take 1.2 s (AUTO_CAL_TIME 3) */

void drv2605_calibrate(struct actuator *actuator, bool diagnose, uint32_t now_us) {
    actuator->state = BRIDGE_ACTUATOR_CALIBRATING;
    actuator->is_diagnosing = diagnose;
    drv2605_go_to(actuator, STEP_CALIBRATION_MODE, now_us);
}

static void set_calibration(struct actuator *actuator, uint8_t outcome) {
    if (actuator->is_diagnosing) {
        actuator->diagnosis = outcome;
    } else {
        actuator->configuration.bytes[CONFIGURATION_CALIBRATION] = outcome;
    }
}

void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome, uint32_t now_us) {
    set_calibration(actuator, outcome);
    drv2605_rest(actuator, now_us);
}

/* A chip that was reset meanwhile looks done, and successful. */
static void lose_chip(struct actuator *actuator, uint32_t now_us) {
    set_calibration(actuator, BRIDGE_CALIBRATION_FAILED);
    drv2605_lose_chip(actuator, now_us);
}

static void wait_for_end(struct actuator *actuator, uint8_t go, uint32_t now_us) {
    actuator->attempts = 0;
    if (!(go & DRV2605_GO)) {
        drv2605_go_to(actuator, STEP_CALIBRATION_CHECK, now_us);
    } else if (bridge_is_due(actuator->deadline_us, now_us)) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_TIMED_OUT, now_us);
    } else {
        actuator->step_us = now_us + GO_POLL_US;
    }
}

static void check_mode(struct actuator *actuator, uint8_t mode, uint32_t now_us) {
    if ((mode & (DRV2605_STANDBY | DRV2605_MODE_MASK)) != drv2605_calibration_mode(actuator)) {
        lose_chip(actuator, now_us);
    } else {
        drv2605_go_to(actuator, STEP_CALIBRATION_STATUS, now_us);
    }
}

static void judge(struct actuator *actuator, uint8_t status, uint32_t now_us) {
    if (status & DRV2605_DIAG_RESULT) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_FAILED, now_us);
    } else if (actuator->is_diagnosing) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_PASSED, now_us);
    } else {
        drv2605_go_to(actuator, STEP_CALIBRATION_READ, now_us);
    }
}

/* The results enter the image only once all three have been read. Of FEEDBACK only the gain is a
   result; the rest of it must be as it was. */
static void read_result(struct actuator *actuator, uint8_t value, uint32_t now_us) {
    const uint8_t *registers = drv2605_calibrated_registers;
    uint8_t present = *drv2605_image(actuator, registers[actuator->index]);
    if (registers[actuator->index] == DRV2605_REG_FEEDBACK &&
        ((value ^ present) & (uint8_t)~DRV2605_BEMF_GAIN)) {
        lose_chip(actuator, now_us);
        return;
    }
    actuator->calibrated[actuator->index] = value;
    actuator->attempts = 0;
    if (++actuator->index < DRV2605_CALIBRATED_COUNT) {
        return;
    }
    for (uint8_t index = 0; index < DRV2605_CALIBRATED_COUNT; index++) {
        *drv2605_image(actuator, registers[index]) = actuator->calibrated[index];
    }
    drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_PASSED, now_us);
}

void drv2605_calibration_done(struct actuator *actuator, uint8_t value, uint32_t now_us) {
    switch ((enum drv2605_step)actuator->step) {
    case STEP_CALIBRATION_MODE:
        drv2605_go_to(actuator, STEP_CALIBRATION_GO, now_us);
        break;
    case STEP_CALIBRATION_GO:
        actuator->deadline_us = now_us + CALIBRATION_US;
        drv2605_go_to(actuator, STEP_CALIBRATION_WAIT, now_us + GO_POLL_US);
        break;
    case STEP_CALIBRATION_WAIT:
        wait_for_end(actuator, value, now_us);
        break;
    case STEP_CALIBRATION_CHECK:
        check_mode(actuator, value, now_us);
        break;
    case STEP_CALIBRATION_STATUS:
        judge(actuator, value, now_us);
        break;
    case STEP_CALIBRATION_READ:
        read_result(actuator, value, now_us);
        break;
    default:
        break;
    }
}
