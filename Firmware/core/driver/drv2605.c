/* The states of a DRV2605, and the transitions between them. */
#include "../support/compiler.h"
#include "../support/critical.h"
#include "driver.h"
#include "drv2605_image.h"
#include "drv2605_steps.h"

#ifdef BRIDGE_DRIVER_DRV2605

#define ATTEMPTS_MAX 3

#define RESET_RETRY 8u       /* 2 ms, the time for which EN is low */
#define RESET_ATTEMPTS_MAX 7 /* a chip may receive power later than the controller */

/* With several chips, the pauses between the attempts to reset a chip leave time on the bus for the
   chips that have not been reset yet, because those chips may be driving their previous levels. */
#define RESET_WAIT_RETRY (BRIDGE_ACTUATOR_COUNT > 1 ? 4 * DRV2605_RETRY : DRV2605_RETRY)
#define RESET_WAIT_ATTEMPTS_MAX (200 / RESET_WAIT_RETRY) /* 50 ms: twice the maximum reset time */

/* ---- Transitions between states ---------------------------------------------------------- */

/* Enters a state. In a new state, the level is 0, and no level needs to be rewritten. */
void drv2605_enter(struct actuator *actuator, uint8_t state, uint8_t step) {
    BRIDGE_CRITICAL_ENTER /* one critical section for both fields, because taking a timed write sets
                             `shown` */
        actuator->step = DRV2605_STEP_NONE;
    actuator->shown = 0;
    BRIDGE_CRITICAL_EXIT
    actuator->state = state;
    actuator->needs_rewrite = false;
    drv2605_go_to(actuator, step);
}

/* Enters a state whose first step is due now. */
static void enter_now(struct actuator *actuator, uint8_t state, uint8_t step, uint16_t now) {
    actuator->due = now;
    drv2605_enter(actuator, state, step);
}

/* Sets up the chip again after a pause in which EN is low (SLOS854D 9.3). */
void drv2605_set_up(struct actuator *actuator) {
    actuator->is_enabled = false;
    actuator->failures = 0;
    drv2605_enter(actuator, BRIDGE_ACTUATOR_STARTING, DRV2605_STEP_RESET);
}

BRIDGE_NOINLINE void driver_start(struct actuator *actuator, uint16_t now) {
    actuator->due = now;
    drv2605_set_up(actuator);
}

void driver_shut_down(struct actuator *actuator, uint8_t fault) {
    actuator->is_enabled = false;
    actuator->faults |= fault;
    uint8_t state = actuator->state;
    if (state != BRIDGE_ACTUATOR_STARTING) {
        actuator->has_stopped = true;
        state = BRIDGE_ACTUATOR_FAULT;
    }
    drv2605_enter(actuator, state, DRV2605_STEP_NONE);
}

void driver_give_up(struct actuator *actuator) {
    actuator->has_stopped = BRIDGE_ACTUATOR_COUNT == 1;
    actuator->state = BRIDGE_ACTUATOR_FAULT;
}

void driver_wake(struct actuator *actuator, uint16_t now) {
    enter_now(actuator, BRIDGE_ACTUATOR_AWAKE, DRV2605_STEP_WAKE_STATUS, now);
}

bool driver_is_braking(const struct actuator *actuator) {
    return actuator->state == BRIDGE_ACTUATOR_COMING_TO_REST &&
           actuator->step == DRV2605_STEP_STANDBY;
}

/* Brings the chip to rest. To stop a calibration, GO is cleared, because a calibration drives the
   actuator independently of the level. */
void drv2605_stop(struct actuator *actuator) {
    uint8_t state = actuator->state;
    uint8_t step = DRV2605_STEP_STOP_GO;
    if (state != BRIDGE_ACTUATOR_CALIBRATING) {
        state = BRIDGE_ACTUATOR_COMING_TO_REST;
        step = DRV2605_STEP_STOP_LOOK;
    }
    drv2605_enter(actuator, state, step);
}

BRIDGE_NOINLINE void driver_rest(struct actuator *actuator, uint16_t now) {
    actuator->due = now;
    drv2605_stop(actuator);
}

void driver_calibrate(struct actuator *actuator, bool diagnose, uint16_t now) {
    enter_now(actuator, BRIDGE_ACTUATOR_CALIBRATING, DRV2605_STEP_CALIBRATION_MODE, now);
    if (diagnose) {
        actuator->mode = DRV2605_MODE_DIAGNOSTICS;
        actuator->operand = DRV2605_MODE_DIAGNOSTICS;
    }
}

void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome) {
    if (actuator->mode == DRV2605_MODE_DIAGNOSTICS) {
        actuator->diagnosis = (uint8_t)(outcome << 4);
    } else {
        actuator->configuration.bytes[CONFIGURATION_CALIBRATION] = outcome;
    }
    drv2605_stop(actuator);
}

BRIDGE_NOINLINE void driver_cancel_calibration(struct actuator *actuator, uint16_t now) {
    if (actuator->state == BRIDGE_ACTUATOR_CALIBRATING && driver_is_running(actuator)) {
        actuator->due = now;
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_FAILED);
    }
}

/* ---- Properties of the current step ------------------------------------------------------ */

bool driver_has_failed_to_start(const struct actuator *actuator) {
    return actuator->state == BRIDGE_ACTUATOR_STARTING && actuator->step == DRV2605_STEP_NONE;
}

bool driver_is_running(const struct actuator *actuator) {
    return actuator->step >= DRV2605_STEP_CALIBRATION_MODE;
}

bool driver_may_drive(const struct actuator *actuator) {
    return actuator->step >= DRV2605_STEP_STOP_LOOK;
}

bool driver_is_ready(const struct actuator *actuator) {
    return actuator->step >= DRV2605_STEP_HEALTH;
}

bool driver_is_overdue(const struct actuator *actuator, uint16_t now) {
    return driver_is_ready(actuator) && (int16_t)(now - actuator->due) > DRV2605_OVERDUE;
}

bool driver_is_due(const struct actuator *actuator, uint16_t now) {
    return actuator->step && (int16_t)(now - actuator->due) >= 0;
}

/* True until the reset is confirmed, because a chip may ignore a reset that it has acknowledged. A
   chip that does not acknowledge after the reset is still executing the reset. */
bool driver_is_unquieted(const struct actuator *actuator) {
    return actuator->is_enabled &&
           (actuator->step == DRV2605_STEP_RESET ||
            (actuator->step == DRV2605_STEP_RESET_WAIT && !actuator->waits));
}

bool driver_is_urgent(const struct actuator *actuator) {
    return driver_is_coming_to_rest(actuator) || driver_is_unquieted(actuator);
}

bool driver_drives_by_itself(const struct actuator *actuator) {
    return actuator->state == BRIDGE_ACTUATOR_CALIBRATING && actuator->step >= DRV2605_STEP_STOP_GO;
}

bool driver_may_be_silent(const struct actuator *actuator) {
    return actuator->step <= DRV2605_STEP_RESET_WAIT ||
           actuator->step == DRV2605_STEP_DIAGNOSIS_DISABLED;
}

bool driver_is_coming_to_rest(const struct actuator *actuator) {
    return actuator->step >= DRV2605_STEP_STOP_LOOK && actuator->step <= DRV2605_STEP_STOP_GO_CHECK;
}

/* ---- Failures ---------------------------------------------------------------------------- */

void drv2605_fail(struct actuator *actuator) {
    uint8_t step = actuator->step;
    uint8_t most = ATTEMPTS_MAX;
    uint8_t fault = ACTUATOR_FAULT(BRIDGE_FAULT_BUS);
    uint8_t pause = DRV2605_RETRY;
    if (step == DRV2605_STEP_RESET) {
        actuator->is_enabled = false; /* otherwise the chip would drive its previous level */
        pause = RESET_RETRY;
        most = RESET_ATTEMPTS_MAX;
        fault = ACTUATOR_FAULT(BRIDGE_FAULT_NO_CHIP);
    } else if (step == DRV2605_STEP_RESET_WAIT) {
        actuator->waits = 1;
        pause = RESET_WAIT_RETRY;
        most = RESET_WAIT_ATTEMPTS_MAX;
        fault = ACTUATOR_FAULT(BRIDGE_FAULT_NO_CHIP);
    } else if (step >= DRV2605_STEP_STANDBY && step <= DRV2605_STEP_STOP_GO_CHECK) {
        fault = ACTUATOR_FAULT(BRIDGE_FAULT_REST);
    }
    if (++actuator->attempts < most) {
        drv2605_wait(actuator, pause);
    } else if (step >= DRV2605_STEP_CALIBRATION_MODE && step <= DRV2605_STEP_CALIBRATION_FEEDBACK) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_BUS_ERROR);
    } else {
        driver_shut_down(actuator, fault);
    }
}

#endif
