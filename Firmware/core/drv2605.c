#include "drv2605.h"

#include "bridge_outline.h"
#include "bridge_time.h"
#include "drv2605_steps.h"

#define RESET_LIMIT_US 50000u /* longest reset seen is below 25 ms */
#define ATTEMPTS_MAX 3
#define RETRY_US 500

/* ---- From one state to another --------------------------------------------------------- */

/* In a new state nothing is shown, nor waits to be. */
BRIDGE_OUTLINE void drv2605_enter(struct actuator *actuator, uint8_t state, uint8_t step) {
    actuator->step = STEP_NONE; /* from here on no timed write is taken */
    actuator->state = state;
    actuator->shown = 0;
    actuator->shows_old_gain = false;
    drv2605_go_to(actuator, step);
}

/* Likewise, from now on. */
BRIDGE_OUTLINE static void enter_now(struct actuator *actuator, uint8_t state, uint8_t step,
                                     uint32_t now_us) {
    actuator->step_us = now_us;
    drv2605_enter(actuator, state, step);
}

static void set_up(struct actuator *actuator) {
    actuator->is_enabled = false;
    actuator->failures = 0;
    drv2605_enter(actuator, BRIDGE_ACTUATOR_STARTING, STEP_ENABLE);
    actuator->deadline_us = drv2605_after(actuator, DRV2605_QUARTERS(RESET_LIMIT_US));
}

BRIDGE_OUTLINE void drv2605_start(struct actuator *actuator, uint32_t now_us) {
    actuator->step_us = now_us;
    set_up(actuator);
}

void drv2605_lose_chip(struct actuator *actuator) {
    actuator->faults |= BRIDGE_FAULT_CHIP_RESET;
    actuator->has_stopped = true;
    set_up(actuator);
}

void drv2605_shut_down(struct actuator *actuator, uint16_t faults) {
    actuator->is_enabled = false;
    actuator->faults |= faults;
    actuator->has_stopped = true;
    drv2605_enter(actuator, BRIDGE_ACTUATOR_FAULT, STEP_NONE);
}

void drv2605_wake(struct actuator *actuator, uint32_t now_us) {
    enter_now(actuator, BRIDGE_ACTUATOR_AWAKE, STEP_WAKE_STATUS, now_us);
}

bool drv2605_resume(struct actuator *actuator, uint32_t now_us) {
    if (actuator->state != BRIDGE_ACTUATOR_COMING_TO_REST || actuator->step != STEP_STANDBY) {
        return false;
    }
    enter_now(actuator, BRIDGE_ACTUATOR_AWAKE, STEP_HEALTH, now_us);
    return true;
}

void drv2605_stop(struct actuator *actuator) {
    bool calibrates = actuator->state == BRIDGE_ACTUATOR_CALIBRATING;
    drv2605_enter(actuator,
                  calibrates ? BRIDGE_ACTUATOR_CALIBRATING : BRIDGE_ACTUATOR_COMING_TO_REST,
                  STEP_STOP_LEVEL);
}

BRIDGE_OUTLINE void drv2605_rest(struct actuator *actuator, uint32_t now_us) {
    actuator->step_us = now_us;
    drv2605_stop(actuator);
}

void drv2605_calibrate(struct actuator *actuator, bool diagnose, uint32_t now_us) {
    actuator->calibration_mode =
        diagnose ? DRV2605_MODE_DIAGNOSTICS : DRV2605_MODE_AUTO_CALIBRATION;
    enter_now(actuator, BRIDGE_ACTUATOR_CALIBRATING, STEP_CALIBRATION_MODE, now_us);
}

BRIDGE_OUTLINE void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome) {
    if (actuator->calibration_mode == DRV2605_MODE_DIAGNOSTICS) {
        actuator->diagnosis = outcome;
    } else {
        actuator->configuration.bytes[CONFIGURATION_CALIBRATION] = outcome;
    }
    drv2605_stop(actuator);
}

/* ---- What the present step tells ------------------------------------------------------- */

bool drv2605_is_running(const struct actuator *actuator) {
    return actuator->step >= STEP_WAKE_STATUS;
}

bool drv2605_is_ready(const struct actuator *actuator) { return actuator->step == STEP_HEALTH; }

bool drv2605_is_overdue(const struct actuator *actuator, uint32_t now_us) {
    return drv2605_is_ready(actuator) &&
           bridge_is_due(drv2605_after(actuator, DRV2605_QUARTERS(DRV2605_HEALTH_US)), now_us);
}

bool drv2605_may_be_silent(const struct actuator *actuator) {
    return actuator->step == STEP_RESET || actuator->step == STEP_RESET_WAIT;
}

bool drv2605_is_coming_to_rest(const struct actuator *actuator) {
    return actuator->step >= STEP_STOP_LEVEL && actuator->step <= STEP_STOP_GO;
}

/* ---- What a step has come to ----------------------------------------------------------- */

/* A chip that resets has time instead of attempts. */
void drv2605_fail(struct actuator *actuator) {
    bool resets = drv2605_may_be_silent(actuator);
    bool is_final = resets ? bridge_is_due(actuator->deadline_us, actuator->step_us)
                           : ++actuator->attempts == ATTEMPTS_MAX;
    if (!is_final) {
        actuator->step_us = drv2605_after(actuator, DRV2605_QUARTERS(RETRY_US));
    } else if (actuator->step >= STEP_CALIBRATION_MODE) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_BUS_ERROR);
    } else if (actuator->step >= STEP_STANDBY && actuator->step <= STEP_STOP_GO) {
        drv2605_shut_down(actuator, BRIDGE_FAULT_REST);
    } else {
        drv2605_shut_down(actuator, resets ? BRIDGE_FAULT_NO_CHIP : BRIDGE_FAULT_BUS);
    }
}

/* To the next register of the image, or the next step. The last two registers exist on the
   DRV2605L only. */
static void go_on(struct actuator *actuator) {
    bool in_image = actuator->step == STEP_IMAGE || actuator->step == STEP_VERIFY_IMAGE;
    uint8_t last = actuator->chip_id == DRV2605_ID_DRV2605L
                       ? DRV2605_REG_OL_LRA_PERIOD - DRV2605_REG_RATED_VOLTAGE
                       : DRV2605_REG_CONTROL4 - DRV2605_REG_RATED_VOLTAGE;
    if (in_image && actuator->index != last) {
        actuator->index++;
        actuator->attempts = 0;
    } else {
        drv2605_go_to(actuator, (uint8_t)(actuator->step + 1));
    }
}

BRIDGE_OUTLINE void drv2605_done(struct actuator *actuator, bool ok, uint8_t value,
                                 uint32_t now_us) {
    actuator = BRIDGE_HELD(actuator);
    actuator->step_us = now_us;
    if (!ok) {
        drv2605_fail(actuator);
    } else if (drv2605_judge(actuator, value)) {
        go_on(actuator);
    }
}
