/* Handles the results of steps: selects the next step, and detects faults. */
#include "../support/compiler.h"
#include "driver.h"
#include "drv2605_image.h"
#include "drv2605_steps.h"

#ifdef BRIDGE_DRIVER_DRV2605

/* 2 % more than 1 ms, because the first count may be shorter than a full count. */
#define BRAKE_COUNTS_PER_MS 4u
#define CALIBRATION_WAIT 40u /* counts between two reads */
/* The time, in units of BRIDGE_HEAT_STEP_US, for which a wrong level may have been driven. */
#define LEVEL_STEPS 255u
#define MISMATCHES_MAX 3
#define CALIBRATION_WAITS_MAX 190u /* 2 s; a calibration may take 1.2 s (AUTO_CAL_TIME 3) */

/* ---- Unexpected bytes -------------------------------------------------------------------- */

/* Returns to the step that writes the value that the current step has read. The count of attempts
   is not reset. */
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

/* Sets up a chip after a reset that the driver did not request. If no level has been written yet,
   the stream may continue. */
static void on_chip_reset(struct actuator *actuator, uint8_t step) {
    actuator->faults |= ACTUATOR_FAULT(BRIDGE_FAULT_CHIP_RESET);
    if (step >= DRV2605_STEP_HEALTH) {
        actuator->has_stopped = true;
    }
    drv2605_set_up(actuator);
}

/* Compares the level that was read with the last written level. The two levels differ if a byte was
   lost or damaged on the bus, which has no checksum. In that case, the heat of the wrong level is
   counted for the time since the last check, and the correct level is written again. Returns false
   if the chip has been disabled, either after several consecutive mismatches, or because the
   actuator is over its budget. */
static bool check_level(struct actuator *actuator, uint8_t value) {
    if (value == actuator->operand) {
        actuator->mismatches = 0;
        return true;
    }
    uint8_t level = value;
    if (!driver_takes_8_bits(&actuator->configuration)) {
        uint8_t magnitude = value & 0x80 ? (uint8_t)(0u - value) : value;
        level = magnitude < 0x80 ? (uint8_t)(2 * magnitude) : UINT8_MAX;
    }
    actuator_warm(actuator, (uint32_t)((uint16_t)level * level) * LEVEL_STEPS);
    if (++actuator->mismatches >= MISMATCHES_MAX || actuator->is_over_budget) {
        driver_shut_down(actuator, ACTUATOR_FAULT(BRIDGE_FAULT_READ_BACK));
        return false;
    }
    actuator->faults |= ACTUATOR_FAULT(BRIDGE_FAULT_BUS);
    actuator->needs_rewrite = true;
    return true;
}

/* Handles an unexpected byte. While the chip is calibrating or awake, an unexpected byte means that
   the chip has been reset: the result of the calibration is invalid, and the registers do not match
   the actuator. */
static void on_mismatch(struct actuator *actuator, uint8_t value) {
    uint8_t step = actuator->step;
    if (step == DRV2605_STEP_VERIFY) {
        driver_shut_down(actuator, ACTUATOR_FAULT(BRIDGE_FAULT_READ_BACK));
    } else if (step <= DRV2605_STEP_STOP_GO_CHECK) {
        if (step != DRV2605_STEP_RESET_WAIT || !(value & DRV2605_DEV_RESET)) {
            write_again(actuator, step); /* the chip was not awake yet and has ignored the reset */
        }
        drv2605_fail(actuator);
        if (step == DRV2605_STEP_RESET_WAIT && actuator->step == DRV2605_STEP_NONE) {
            actuator->faults |= ACTUATOR_FAULT(BRIDGE_FAULT_READ_BACK); /* it acknowledges */
        }
    } else if (step == DRV2605_STEP_CALIBRATION_WAIT) {
        wait_for_calibration(actuator);
    } else if (step == DRV2605_STEP_DIAGNOSIS_DISABLED) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_PASSED);
    } else {
        if (step < DRV2605_STEP_WAKE_STATUS) {
            drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_FAILED);
        }
        if (step != DRV2605_STEP_CALIBRATION_STATUS) {
            on_chip_reset(actuator, step);
        }
    }
}

/* ---- Expected bytes ---------------------------------------------------------------------- */

/* True if a configuration requires an LRA in open loop. The DRV2605 supports an LRA in open loop
   only with a clock at IN, which no board in this project provides; the DRV2605L needs no clock. */
static bool needs_open_loop_lra(const struct configuration *configuration) {
    return configuration->bytes[CONFIGURATION_KIND] != BRIDGE_KIND_ERM &&
           (configuration->bytes[DRV2605_IMAGE_CONTROL3] & DRV2605_LRA_OPEN_LOOP);
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
    driver_shut_down(actuator, fault);
    return false;
}

/* Advances to the next register of the image. Returns false after the last register. The last two
   registers exist only on the DRV2605L. */
static bool advance_in_image(struct actuator *actuator) {
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

/* Converts the bits OVER_TEMP and OC_DETECT to faults, whose bits have the opposite order. */
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

bool driver_record_protection(struct actuator *actuator, uint8_t step, uint8_t status) {
    if ((step != DRV2605_STEP_WAKE_STATUS && step != DRV2605_STEP_HEALTH_STATUS &&
         step != DRV2605_STEP_CALIBRATION_STATUS) ||
        status >> DRV2605_DEVICE_ID_SHIFT != actuator->chip_id) {
        return false;
    }
    uint8_t said = status & (DRV2605_OVER_TEMP | DRV2605_OC_DETECT);
    actuator->faults |= protection_faults(said);
    return said;
}

/* Brings the actuator to rest after the chip has protected itself. If a chip at rest has latched a
   fault, the cause of the fault may no longer exist. The status of a waking chip is therefore read
   a second time before the chip is driven. */
static void rest_by_itself(struct actuator *actuator) {
    if (actuator->step == DRV2605_STEP_WAKE_STATUS && !actuator->waits) {
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

/* Returns the mask of the calibration results in a byte. In register FEEDBACK, only the gain is a
   result. */
uint8_t driver_calibration_mask(uint8_t offset) {
    return offset == DRV2605_IMAGE_FEEDBACK ? DRV2605_BEMF_GAIN
           : offset == DRV2605_IMAGE_A_CAL_COMP || offset == DRV2605_IMAGE_A_CAL_BEMF ||
                   offset == CONFIGURATION_CALIBRATION
               ? UINT8_MAX
               : 0;
}

/* Sets the calibration results to their reset values (SLOS854D 8.6). */
void driver_forget_calibration(struct configuration *configuration) {
    uint8_t *bytes = configuration->bytes;
    bytes[CONFIGURATION_CALIBRATION] = BRIDGE_CALIBRATION_NONE;
    bytes[DRV2605_IMAGE_A_CAL_COMP] = 0x0C;
    bytes[DRV2605_IMAGE_A_CAL_BEMF] = 0x6C;
    bytes[DRV2605_IMAGE_FEEDBACK] = 2;
}

/* Stores the results in the image once all three have been read. */
static void take_results(struct actuator *actuator, uint8_t feedback) {
    uint8_t *bytes = actuator->configuration.bytes;
    bytes[DRV2605_IMAGE_A_CAL_COMP] = actuator->read[0];
    bytes[DRV2605_IMAGE_A_CAL_BEMF] = actuator->read[1];
    bytes[DRV2605_IMAGE_FEEDBACK] = feedback;
}

/* Waits for the brake window. Because even a failed calibration changes registers, the image is
   written again after a calibration and before standby. */
static uint8_t brake(struct actuator *actuator) {
    uint8_t brake_ms = actuator->configuration.bytes[CONFIGURATION_BRAKE];
    drv2605_wait(actuator, brake_ms * BRAKE_COUNTS_PER_MS);
    return actuator->state == BRIDGE_ACTUATOR_CALIBRATING ? DRV2605_STEP_IMAGE
                                                          : DRV2605_STEP_STANDBY;
}

/* Returns the next check of an awake chip. Supply and period are read after the level. Both values
   are recorded only while the chip drives, because the chip does not measure them at other
   times. */
static uint8_t next_check(struct actuator *actuator, uint8_t value) {
    uint8_t step = actuator->step;
    if (step < DRV2605_STEP_HEALTH_SUPPLY) {
        actuator->health++;
        if (step == DRV2605_STEP_HEALTH_LEVEL) {
            return DRV2605_STEP_HEALTH_SUPPLY;
        }
        if (step == DRV2605_STEP_HEALTH_STATUS) {
            actuator->health = 0;
        }
    } else if (actuator->shown) {
        if (step == DRV2605_STEP_HEALTH_SUPPLY) {
            actuator->vbat = value;
            return DRV2605_STEP_HEALTH_PERIOD;
        }
        actuator->lra_period = value;
    }
    return DRV2605_STEP_HEALTH;
}

/* Returns the step that follows a successful step, or DRV2605_STEP_NONE if that step has already
   been started. */
static uint8_t on_success(struct actuator *actuator, uint8_t value) {
    uint8_t step = actuator->step;
    if (step == DRV2605_STEP_IDENTIFY) {
        if (!identify(actuator, value)) {
            return DRV2605_STEP_NONE;
        }
    } else if (step == DRV2605_STEP_ZERO) {
        if (!actuator->is_configured) {
            return DRV2605_STEP_STANDBY;
        }
    } else if (step == DRV2605_STEP_IMAGE || step == DRV2605_STEP_VERIFY) {
        if (advance_in_image(actuator)) {
            return DRV2605_STEP_NONE;
        }
    } else if (step == DRV2605_STEP_STANDBY_LEVEL) {
        drv2605_enter(actuator, (uint8_t)(BRIDGE_ACTUATOR_UNCONFIGURED + actuator->is_configured),
                      DRV2605_STEP_NONE);
        return DRV2605_STEP_NONE;
    } else if (step == DRV2605_STEP_STOP_GO_CHECK) {
        return DRV2605_STEP_STOP_LEVEL;
    } else if (step == DRV2605_STEP_STOP_CHECK) {
        return brake(actuator);
    } else if (step == DRV2605_STEP_CALIBRATION_STATUS) {
        if (actuator->mode == DRV2605_MODE_DIAGNOSTICS) {
            return DRV2605_STEP_DIAGNOSIS_DISABLED;
        }
    } else if (step == DRV2605_STEP_CALIBRATION_FEEDBACK) {
        take_results(actuator, value);
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_PASSED);
        return DRV2605_STEP_NONE;
    } else if (step == DRV2605_STEP_DIAGNOSIS_DISABLED) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_NOT_DISABLED);
        return DRV2605_STEP_NONE;
    } else if (step >= DRV2605_STEP_HEALTH) {
        return next_check(actuator, value);
    }
    return (uint8_t)(step + 1);
}

/* ---- Every result ------------------------------------------------------------------------ */

BRIDGE_NOINLINE void driver_done(struct actuator *actuator, bool ok, uint8_t value, uint16_t now) {
    actuator = BRIDGE_OPTIMIZER_HIDE(actuator);
    bool is_disabled = actuator->step == DRV2605_STEP_DIAGNOSIS_DISABLED;
    if (!actuator->is_enabled && !is_disabled) {
        return; /* the transfer began before the chip was disabled */
    }
    actuator->due = now;
    if (!ok && is_disabled) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_PASSED);
        return;
    }
    if (!ok) {
        drv2605_fail(actuator);
        return;
    }
    if (driver_record_protection(actuator, actuator->step, value)) {
        rest_by_itself(actuator);
        return;
    }
    if (drv2605_looks_at_level(actuator)) {
        if (!check_level(actuator, value)) {
            return;
        }
    } else if (!drv2605_is_as_expected(actuator, value)) {
        on_mismatch(actuator, value);
        return;
    }
    uint8_t next = on_success(actuator, value);
    actuator->read[0] = actuator->read[1];
    actuator->read[1] = value;
    if (next) {
        drv2605_go_to(actuator, next);
    }
}

#endif
