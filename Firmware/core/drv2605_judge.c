/* What the driver believes of a byte it has read, and what follows. */
#include "bridge_time.h"
#include "drv2605.h"
#include "drv2605_steps.h"

#define CALIBRATION_US 2000000ul /* it may take 1.2 s (AUTO_CAL_TIME 3) */

/* The id that was read at first, the image that was written. */
static bool is_as_before(const struct actuator *actuator, uint8_t value) {
    uint8_t reg = drv2605_register(actuator);
    if (reg == DRV2605_REG_STATUS) {
        return value >> DRV2605_DEVICE_ID_SHIFT == actuator->chip_id;
    }
    if (reg == DRV2605_REG_CONTROL4) {
        value &= (uint8_t)~DRV2605_OTP_STATUS;
    }
    return value == actuator->configuration.bytes[drv2605_image_offset(reg)];
}

static bool is_mode(uint8_t value, uint8_t mode) {
    return (value & (DRV2605_STANDBY | DRV2605_MODE_MASK)) == mode;
}

/* ---- Setting up ------------------------------------------------------------------------ */

static bool identify(struct actuator *actuator, uint8_t status) {
    actuator->chip_id = status >> DRV2605_DEVICE_ID_SHIFT;
    uint8_t id = actuator->chip_id;
    if (id == DRV2605_ID_DRV2605 || id == DRV2605_ID_DRV2605L) {
        return true;
    }
    bool is_other = id == DRV2605_ID_DRV2604 || id == DRV2605_ID_DRV2604L;
    drv2605_shut_down(actuator, is_other ? BRIDGE_FAULT_WRONG_CHIP : BRIDGE_FAULT_NO_CHIP);
    return false;
}

static bool verify(struct actuator *actuator, uint8_t value) {
    if (is_as_before(actuator, value)) {
        return true;
    }
    drv2605_shut_down(actuator, BRIDGE_FAULT_READ_BACK);
    return false;
}

/* ---- Coming to rest -------------------------------------------------------------------- */

/* What was written does not hold: it is written again, and the attempts go on counting. */
static bool write_again(struct actuator *actuator) {
    actuator->step--;
    drv2605_fail(actuator);
    return false;
}

/* Calibration changes registers, passed or not: the image is written again before standby. */
static bool brake(struct actuator *actuator) {
    bool reload = actuator->state == BRIDGE_ACTUATOR_CALIBRATING;
    uint8_t brake_ms = actuator->configuration.bytes[CONFIGURATION_BRAKE];
    drv2605_go_to(actuator, reload ? STEP_LIBRARY : STEP_STANDBY);
    actuator->step_us = drv2605_after(actuator, brake_ms * DRV2605_QUARTERS(1000u));
    return false;
}

static bool check_stopped(struct actuator *actuator, uint8_t level) {
    if (level != 0) {
        return write_again(actuator);
    }
    if (actuator->state == BRIDGE_ACTUATOR_CALIBRATING) {
        return true;
    }
    return brake(actuator);
}

static bool check_standby(struct actuator *actuator, uint8_t mode) {
    if (!(mode & DRV2605_STANDBY)) {
        return write_again(actuator);
    }
    drv2605_enter(actuator,
                  actuator->is_configured ? BRIDGE_ACTUATOR_AT_REST : BRIDGE_ACTUATOR_UNCONFIGURED,
                  STEP_NONE);
    return false;
}

/* ---- Awake ----------------------------------------------------------------------------- */

/* A chip that was reset while at rest would drive its actuator as it finds fit. Its stream goes on,
   for nothing has been shown yet. */
static bool check_before_waking(struct actuator *actuator, uint8_t value) {
    if (is_as_before(actuator, value)) {
        return true;
    }
    drv2605_lose_chip(actuator);
    actuator->has_stopped = false;
    return false;
}

static void check_mode(struct actuator *actuator, uint8_t mode) {
    if (is_mode(mode, DRV2605_MODE_RTP)) {
        drv2605_go_to(actuator, STEP_HEALTH);
    } else {
        drv2605_lose_chip(actuator);
    }
}

static void check_status(struct actuator *actuator, uint8_t status) {
    if (!is_as_before(actuator, status)) {
        drv2605_lose_chip(actuator);
        return;
    }
    if (!(status & (DRV2605_OVER_TEMP | DRV2605_OC_DETECT))) {
        drv2605_go_to(actuator, STEP_HEALTH);
        return;
    }
    if (status & DRV2605_OVER_TEMP) {
        actuator->faults |= BRIDGE_FAULT_OVER_TEMPERATURE;
    }
    if (status & DRV2605_OC_DETECT) {
        actuator->faults |= BRIDGE_FAULT_OVER_CURRENT;
    }
    actuator->has_stopped = true;
    drv2605_stop(actuator);
}

/* The value's share of full scale, of 255: exact, and without a division. */
static uint16_t supply_mv(uint8_t value) {
    uint8_t whole = DRV2605_VBAT_FULL_SCALE_MV / UINT8_MAX;
    uint8_t part = DRV2605_VBAT_FULL_SCALE_MV % UINT8_MAX;
    uint16_t rest = (uint16_t)((uint16_t)value * part + 1);
    return (uint16_t)((uint16_t)value * whole + ((uint16_t)(rest + (rest >> 8)) >> 8));
}

static bool check_health(struct actuator *actuator, uint8_t value) {
    switch (actuator->health) {
    case DRV2605_REG_MODE:
        check_mode(actuator, value);
        actuator->health = DRV2605_REG_STATUS;
        break;
    case DRV2605_REG_STATUS:
        check_status(actuator, value);
        actuator->health = DRV2605_REG_VBAT;
        break;
    default:
        if (actuator->shown) {
            actuator->supply_mv = supply_mv(value);
        }
        drv2605_go_to(actuator, STEP_HEALTH);
        actuator->health = DRV2605_REG_MODE;
        break;
    }
    return false;
}

/* ---- Calibration and diagnosis (SLOS854D 8.5.6, 8.3.2) --------------------------------- */

static bool end(struct actuator *actuator, uint8_t outcome) {
    drv2605_end_calibration(actuator, outcome);
    return false;
}

/* A chip that was reset meanwhile looks done, and successful. */
static bool fail_without_chip(struct actuator *actuator) {
    drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_FAILED);
    drv2605_lose_chip(actuator);
    return false;
}

static bool wait_for_end(struct actuator *actuator, uint8_t go) {
    if (!(go & DRV2605_GO)) {
        return true;
    }
    if (bridge_is_due(actuator->deadline_us, actuator->step_us)) {
        return end(actuator, BRIDGE_CALIBRATION_TIMED_OUT);
    }
    drv2605_go_to(actuator, STEP_CALIBRATION_WAIT);
    return false;
}

static bool check_outcome(struct actuator *actuator, uint8_t status) {
    if (status & DRV2605_DIAG_RESULT) {
        return end(actuator, BRIDGE_CALIBRATION_FAILED);
    }
    if (actuator->calibration_mode == DRV2605_MODE_DIAGNOSTICS) {
        return end(actuator, BRIDGE_CALIBRATION_PASSED);
    }
    return true;
}

/* The results enter the image only once all three have been read. Of FEEDBACK only the gain is a
   result; the rest of it must be as it was. */
static bool take_results(struct actuator *actuator, uint8_t feedback) {
    uint8_t *bytes = actuator->configuration.bytes;
    if ((feedback ^ bytes[CONFIGURATION_FEEDBACK]) & (uint8_t)~DRV2605_BEMF_GAIN) {
        return fail_without_chip(actuator);
    }
    bytes[CONFIGURATION_A_CAL_COMP] = actuator->calibrated[0];
    bytes[CONFIGURATION_A_CAL_BEMF] = actuator->calibrated[1];
    bytes[CONFIGURATION_FEEDBACK] = feedback;
    return end(actuator, BRIDGE_CALIBRATION_PASSED);
}

/* ---- All of them ----------------------------------------------------------------------- */

bool drv2605_judge(struct actuator *actuator, uint8_t value) {
    switch ((enum drv2605_step)actuator->step) {
    case STEP_RESET_WAIT:
        if (value & DRV2605_DEV_RESET) {
            drv2605_fail(actuator);
            return false;
        }
        return true;
    case STEP_IDENTIFY:
        return identify(actuator, value);
    case STEP_ZERO:
        if (!actuator->is_configured) {
            drv2605_go_to(actuator, STEP_STANDBY);
            return false;
        }
        return true;
    case STEP_VERIFY_LIBRARY:
    case STEP_VERIFY_IMAGE:
        return verify(actuator, value);
    case STEP_STANDBY:
    case STEP_STOP_LEVEL:
        actuator->step++; /* to read it back, with the attempts as they are */
        return false;
    case STEP_STANDBY_CHECK:
        return check_standby(actuator, value);
    case STEP_STOP_CHECK:
        return check_stopped(actuator, value);
    case STEP_STOP_GO:
        return brake(actuator);
    case STEP_WAKE_STATUS:
    case STEP_WAKE_CLAMP:
    case STEP_WAKE_FEEDBACK:
    case STEP_WAKE_CONTROL3:
        return check_before_waking(actuator, value);
    case STEP_HEALTH:
        return check_health(actuator, value);
    case STEP_CALIBRATION_GO:
        actuator->deadline_us = drv2605_after(actuator, DRV2605_QUARTERS(CALIBRATION_US));
        return true;
    case STEP_CALIBRATION_WAIT:
        return wait_for_end(actuator, value);
    case STEP_CALIBRATION_CHECK:
        if (is_mode(value, actuator->calibration_mode)) {
            return true;
        }
        return fail_without_chip(actuator);
    case STEP_CALIBRATION_STATUS:
        return check_outcome(actuator, value);
    case STEP_CALIBRATION_COMP:
    case STEP_CALIBRATION_BEMF:
        actuator->calibrated[actuator->step - STEP_CALIBRATION_COMP] = value;
        return true;
    case STEP_CALIBRATION_FEEDBACK:
        return take_results(actuator, value);
    default:
        return true;
    }
}
