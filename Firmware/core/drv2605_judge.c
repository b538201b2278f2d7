/* What follows on the result of a step. */
#include "bridge_outline.h"
#include "drv2605.h"
#include "drv2605_steps.h"

#define BRAKE_COUNTS_PER_MS 4u /* 2 % more, for a count that had begun */
#define CALIBRATION_WAIT 40u   /* counts between two looks */
#define HEALTH_STEPS (STEP_HEALTH_SUPPLY - STEP_HEALTH + 1)
#define CALIBRATION_WAITS_MAX 190u /* 2 s at most; it may take 1.2 s (AUTO_CAL_TIME 3) */

/* ---- What was not expected ------------------------------------------------------------- */

/* It is written again, and the attempts go on counting. */
static void write_again(struct actuator *actuator, uint8_t step) {
    uint8_t attempts = actuator->attempts;
    drv2605_go_to(actuator, (uint8_t)(step - 1));
    actuator->attempts = attempts;
}

static void wait_for_calibration(struct actuator *actuator) {
    if (++actuator->waits == CALIBRATION_WAITS_MAX) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_TIMED_OUT);
        return;
    }
    actuator->attempts = 0;
    drv2605_wait(actuator, CALIBRATION_WAIT);
}

/* The chip was found reset. Until levels have been written its stream may go on. */
static void lose_chip(struct actuator *actuator, uint8_t step) {
    actuator->faults |= ACTUATOR_FAULT(BRIDGE_FAULT_CHIP_RESET);
    if (step >= STEP_HEALTH) {
        actuator->has_stopped = true;
    }
    drv2605_set_up(actuator);
}

/* A chip that was reset while it calibrated looks done, and successful; one that was reset at rest
   would drive its actuator as it finds fit. */
static void object(struct actuator *actuator) {
    uint8_t step = actuator->step;
    if (step == STEP_VERIFY) {
        drv2605_shut_down(actuator, ACTUATOR_FAULT(BRIDGE_FAULT_READ_BACK));
    } else if (step <= STEP_STOP_CHECK) {
        if (step != STEP_RESET_WAIT) {
            write_again(actuator, step);
        }
        drv2605_fail(actuator);
    } else if (step == STEP_CALIBRATION_WAIT) {
        wait_for_calibration(actuator);
    } else {
        if (step < STEP_WAKE_STATUS) {
            drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_FAILED);
        }
        if (step != STEP_CALIBRATION_STATUS) {
            lose_chip(actuator, step);
        }
    }
}

/* ---- What was -------------------------------------------------------------------------- */

/* The DRV2605 has it with a clock at IN only, which no board here gives it. */
static bool needs_open_loop_lra(const struct configuration *configuration) {
    return configuration->bytes[CONFIGURATION_KIND] == BRIDGE_KIND_LRA &&
           (configuration->bytes[CONFIGURATION_CONTROL3] & DRV2605_LRA_OPEN_LOOP);
}

static bool identify(struct actuator *actuator, uint8_t status) {
    uint8_t id = status >> DRV2605_DEVICE_ID_SHIFT;
    uint8_t fault = ACTUATOR_FAULT(BRIDGE_FAULT_NO_CHIP);
    actuator->chip_id = id;
    if (id == DRV2605_ID_DRV2605L ||
        (id == DRV2605_ID_DRV2605 && !needs_open_loop_lra(&actuator->configuration))) {
        return true;
    }
    if (id == DRV2605_ID_DRV2605 || id == DRV2605_ID_DRV2604 || id == DRV2605_ID_DRV2604L) {
        fault = ACTUATOR_FAULT(BRIDGE_FAULT_WRONG_CHIP);
    }
    drv2605_shut_down(actuator, fault);
    return false;
}

/* To the next register of the image, if there is one. The last two exist on the DRV2605L only. */
static bool go_on_in_image(struct actuator *actuator) {
    uint8_t last = DRV2605_REG_CONTROL4;
    if (actuator->chip_id == DRV2605_ID_DRV2605L) {
        last = DRV2605_REG_OL_LRA_PERIOD;
    }
    uint8_t reg = actuator->reg & DRV2605_REG_MASK;
    if (reg == last) {
        return false;
    }
    actuator->reg++;
    actuator->attempts = 0;
    return true;
}

/* The faults of OVER_TEMP and OC_DETECT have their bits in the other order. */
static uint8_t protection_faults(uint8_t said) {
    uint8_t faults = 0;
    if (said & DRV2605_OVER_TEMP) {
        faults |= ACTUATOR_FAULT(BRIDGE_FAULT_OVER_TEMPERATURE);
    }
    if (said & DRV2605_OC_DETECT) {
        faults |= ACTUATOR_FAULT(BRIDGE_FAULT_OVER_CURRENT);
    }
    return faults;
}

bool drv2605_note_protection(struct actuator *actuator, uint8_t step, uint8_t status) {
    if ((step != STEP_WAKE_STATUS && step != STEP_HEALTH_STATUS &&
         step != STEP_CALIBRATION_STATUS) ||
        status >> DRV2605_DEVICE_ID_SHIFT != actuator->chip_id) {
        return false;
    }
    uint8_t said = status & (DRV2605_OVER_TEMP | DRV2605_OC_DETECT);
    actuator->faults |= protection_faults(said);
    return said;
}

/* What a chip at rest has latched is over perhaps: whether it is, the next look tells before it is
   driven. */
static void rest_by_itself(struct actuator *actuator) {
    if (actuator->step == STEP_WAKE_STATUS && !actuator->waits) {
        actuator->waits = 1;
        return;
    }
    actuator->has_stopped = true;
    if (actuator->state == BRIDGE_ACTUATOR_CALIBRATING) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_FAILED);
    } else {
        drv2605_stop(actuator);
    }
}

/* The results enter the image only once all three have been read. Of FEEDBACK only the gain is a
   result. */
static void take_results(struct actuator *actuator, uint8_t feedback) {
    uint8_t *bytes = actuator->configuration.bytes;
    bytes[CONFIGURATION_A_CAL_COMP] = actuator->read[0];
    bytes[CONFIGURATION_A_CAL_BEMF] = actuator->read[1];
    bytes[CONFIGURATION_FEEDBACK] = feedback;
}

/* Calibration changes registers, passed or not: the image is written again before standby. */
static uint8_t brake(struct actuator *actuator) {
    uint8_t brake_ms = actuator->configuration.bytes[CONFIGURATION_BRAKE];
    drv2605_wait(actuator, brake_ms * BRAKE_COUNTS_PER_MS);
    return actuator->state == BRIDGE_ACTUATOR_CALIBRATING ? STEP_IMAGE : STEP_STANDBY;
}

/* The step that follows; STEP_NONE if it has been begun. */
static uint8_t proceed(struct actuator *actuator, uint8_t value) {
    uint8_t step = actuator->step;
    if (step == STEP_IDENTIFY) {
        if (!identify(actuator, value)) {
            return STEP_NONE;
        }
    } else if (step == STEP_ZERO) {
        if (!actuator->is_configured) {
            return STEP_STANDBY;
        }
    } else if (step == STEP_IMAGE || step == STEP_VERIFY) {
        if (go_on_in_image(actuator)) {
            return STEP_NONE;
        }
    } else if (step == STEP_STANDBY_CHECK) {
        drv2605_enter(actuator, (uint8_t)(BRIDGE_ACTUATOR_UNCONFIGURED + actuator->is_configured),
                      STEP_NONE);
        return STEP_NONE;
    } else if (step == STEP_STOP_CHECK) {
        return brake(actuator);
    } else if (step == STEP_CALIBRATION_FEEDBACK ||
               (step == STEP_CALIBRATION_STATUS && actuator->mode == DRV2605_MODE_DIAGNOSTICS)) {
        if (step == STEP_CALIBRATION_FEEDBACK) {
            take_results(actuator, value);
        }
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_PASSED);
        return STEP_NONE;
    } else if (step == STEP_HEALTH_SUPPLY) {
        if (actuator->shown) {
            actuator->supply_mv = value * DRV2605_VBAT_STEP_MV;
        }
    }
    if (step >= STEP_HEALTH) {
        actuator->health = (uint8_t)((actuator->health + 1) % HEALTH_STEPS);
    }
    return (uint8_t)(step + 1);
}

/* ---- Either ---------------------------------------------------------------------------- */

BRIDGE_OUTLINE void drv2605_done(struct actuator *actuator, bool ok, uint8_t value, uint16_t now) {
    actuator = BRIDGE_HELD(actuator);
    if (!actuator->is_enabled) {
        return; /* of a time before it was set up anew */
    }
    actuator->due = now;
    if (!ok) {
        drv2605_fail(actuator);
        return;
    }
    if (drv2605_note_protection(actuator, actuator->step, value)) {
        rest_by_itself(actuator);
        return;
    }
    if (!drv2605_is_as_expected(actuator, value)) {
        object(actuator);
        return;
    }
    uint8_t next = proceed(actuator, value);
    actuator->read[0] = actuator->read[1];
    actuator->read[1] = value;
    if (next) {
        drv2605_go_to(actuator, next);
    }
}
