#include "drv2605.h"

#include "bridge_atomic.h"
#include "bridge_outline.h"
#include "drv2605_steps.h"

#define ATTEMPTS_MAX 3
#define PATIENCE 4 /* 1 ms; of what is not urgent */

#define RESET_RETRY 8u       /* 2 ms, in which EN is low again */
#define RESET_ATTEMPTS_MAX 7 /* a chip may be powered later than the board */

/* Several chips that reset leave the bus to one that is to be reset: it drives what it has kept. */
#define RESET_WAIT_RETRY (BRIDGE_ACTUATOR_COUNT > 1 ? 4 * DRV2605_RETRY : DRV2605_RETRY)
#define RESET_WAIT_ATTEMPTS_MAX (200 / RESET_WAIT_RETRY) /* 50 ms; longest reset is below 25 ms */

/* ---- From one state to another --------------------------------------------------------- */

/* In a new state nothing is shown, nor to be shown anew. */
BRIDGE_OUTLINE void drv2605_enter(struct actuator *actuator, uint8_t state, uint8_t step) {
    BRIDGE_ATOMIC_BEGIN /* together: a timed write that is taken shows something */
        actuator->step = STEP_NONE;
    actuator->shown = 0;
    BRIDGE_ATOMIC_END
    actuator->state = state;
    actuator->shows_old_gain = false;
    drv2605_go_to(actuator, step);
}

/* Likewise, from now on. */
BRIDGE_OUTLINE static void enter_now(struct actuator *actuator, uint8_t state, uint8_t step,
                                     uint16_t now) {
    actuator->due = now;
    drv2605_enter(actuator, state, step);
}

/* EN is low for a while, before the first access (SLOS854D 9.3). */
BRIDGE_OUTLINE void drv2605_set_up(struct actuator *actuator) {
    actuator->is_enabled = false;
    actuator->failures = 0;
    drv2605_enter(actuator, BRIDGE_ACTUATOR_STARTING, STEP_RESET);
}

BRIDGE_OUTLINE void drv2605_start(struct actuator *actuator, uint16_t now) {
    actuator = BRIDGE_HELD(actuator);
    actuator->due = now;
    drv2605_set_up(actuator);
}

void drv2605_shut_down(struct actuator *actuator, uint8_t fault) {
    actuator->is_enabled = false;
    actuator->faults |= fault;
    actuator->has_stopped =
        BRIDGE_ACTUATOR_COUNT == 1 || actuator->state != BRIDGE_ACTUATOR_STARTING;
    drv2605_enter(actuator, BRIDGE_ACTUATOR_FAULT, STEP_NONE);
}

void drv2605_wake(struct actuator *actuator, uint16_t now) {
    enter_now(actuator, BRIDGE_ACTUATOR_AWAKE, STEP_WAKE_STATUS, now);
}

bool drv2605_is_braking(const struct actuator *actuator) {
    return actuator->state == BRIDGE_ACTUATOR_COMING_TO_REST && actuator->step == STEP_STANDBY;
}

/* A calibration first of all: GO drives whatever the level is. */
void drv2605_stop(struct actuator *actuator) {
    uint8_t state = actuator->state;
    uint8_t step = STEP_STOP_GO;
    if (state != BRIDGE_ACTUATOR_CALIBRATING) {
        state = BRIDGE_ACTUATOR_COMING_TO_REST;
        step = STEP_STOP_LEVEL;
    }
    drv2605_enter(actuator, state, step);
}

BRIDGE_OUTLINE void drv2605_rest(struct actuator *actuator, uint16_t now) {
    actuator = BRIDGE_HELD(actuator);
    actuator->due = now;
    drv2605_stop(actuator);
}

void drv2605_calibrate(struct actuator *actuator, bool diagnose, uint16_t now) {
    enter_now(actuator, BRIDGE_ACTUATOR_CALIBRATING, STEP_CALIBRATION_MODE, now);
    if (diagnose) {
        actuator->mode = DRV2605_MODE_DIAGNOSTICS;
        actuator->operand = DRV2605_MODE_DIAGNOSTICS;
    }
}

BRIDGE_OUTLINE void drv2605_end_calibration(struct actuator *actuator, uint8_t outcome) {
    if (actuator->mode == DRV2605_MODE_DIAGNOSTICS) {
        actuator->diagnosis = (uint8_t)(outcome << 4);
    } else {
        actuator->configuration.bytes[CONFIGURATION_CALIBRATION] = outcome;
    }
    drv2605_stop(actuator);
}

BRIDGE_OUTLINE void drv2605_cancel_calibration(struct actuator *actuator, uint16_t now) {
    if (actuator->state == BRIDGE_ACTUATOR_CALIBRATING && drv2605_is_running(actuator)) {
        actuator->due = now;
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_FAILED);
    }
}

/* ---- What the present step tells ------------------------------------------------------- */

bool drv2605_is_running(const struct actuator *actuator) {
    return actuator->step >= STEP_CALIBRATION_MODE;
}

bool drv2605_is_ready(const struct actuator *actuator) { return actuator->step >= STEP_HEALTH; }

bool drv2605_is_overdue(const struct actuator *actuator, uint16_t now) {
    return drv2605_is_ready(actuator) && (int16_t)(now - actuator->due) > (int16_t)DRV2605_HEALTH;
}

bool drv2605_is_pressing(const struct actuator *actuator, uint16_t now) {
    uint8_t patience = drv2605_is_urgent(actuator) ? 0 : PATIENCE;
    return actuator->step && (int16_t)(now - actuator->due - patience) >= 0;
}

bool drv2605_is_unquieted(const struct actuator *actuator) {
    return actuator->is_enabled && actuator->step == STEP_RESET;
}

bool drv2605_is_urgent(const struct actuator *actuator) {
    return drv2605_is_coming_to_rest(actuator) || drv2605_is_unquieted(actuator);
}

BRIDGE_OUTLINE bool drv2605_drives_by_itself(const struct actuator *actuator) {
    return actuator->state == BRIDGE_ACTUATOR_CALIBRATING &&
           (actuator->step == STEP_STOP_GO || actuator->step >= STEP_CALIBRATION_GO);
}

bool drv2605_may_be_silent(const struct actuator *actuator) {
    return actuator->step <= STEP_RESET_WAIT;
}

bool drv2605_is_coming_to_rest(const struct actuator *actuator) {
    return actuator->step >= STEP_STOP_GO && actuator->step <= STEP_STOP_CHECK;
}

/* ---- What has failed ------------------------------------------------------------------- */

BRIDGE_OUTLINE void drv2605_fail(struct actuator *actuator) {
    uint8_t step = actuator->step;
    uint8_t most = ATTEMPTS_MAX;
    uint8_t fault = ACTUATOR_FAULT(BRIDGE_FAULT_BUS);
    uint8_t pause = DRV2605_RETRY;
    if (step == STEP_RESET) {
        actuator->is_enabled = false; /* it drives what it has kept, and nobody can take it away */
        pause = RESET_RETRY;
        most = RESET_ATTEMPTS_MAX;
        fault = ACTUATOR_FAULT(BRIDGE_FAULT_NO_CHIP);
    } else if (step == STEP_RESET_WAIT) {
        pause = RESET_WAIT_RETRY;
        most = RESET_WAIT_ATTEMPTS_MAX;
        fault = ACTUATOR_FAULT(BRIDGE_FAULT_NO_CHIP);
    } else if (step >= STEP_STANDBY && step <= STEP_STOP_CHECK) {
        fault = ACTUATOR_FAULT(BRIDGE_FAULT_REST);
    }
    if (++actuator->attempts < most) {
        drv2605_wait(actuator, pause);
    } else if (step >= STEP_CALIBRATION_MODE && step <= STEP_CALIBRATION_FEEDBACK) {
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_BUS_ERROR);
    } else {
        drv2605_shut_down(actuator, fault);
    }
}
