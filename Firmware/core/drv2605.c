#include "drv2605.h"

#include "bridge_time.h"
#include "drv2605_steps.h"

#define POWER_UP_US 250u      /* SLOS854D 9.3: before the first access */
#define RESET_POLL_US 500u    /* the chip may not answer while it resets */
#define RESET_LIMIT_US 50000u /* longest reset seen is below 25 ms */
#define HEALTH_US 33000u      /* three registers in turn, each about every 100 ms */
#define ATTEMPTS_MAX 3
#define RETRY_US 500u

static uint8_t image_size(const struct actuator *actuator) {
    return actuator->chip_id == DRV2605_ID_DRV2605L ? BRIDGE_IMAGE_SIZE
                                                    : DRV2605_IMAGE_SIZE_WITHOUT_L;
}

static uint32_t brake_us(const struct actuator *actuator) {
    return actuator->configuration.bytes[CONFIGURATION_BRAKE] * 1000u;
}

void drv2605_start(struct actuator *actuator, uint32_t now_us) {
    actuator->is_enabled = false;
    actuator->state = BRIDGE_ACTUATOR_STARTING;
    actuator->shown = 0;
    actuator->immediate = 0;
    actuator->failures = 0;
    actuator->in_effect = false;
    actuator->deadline_us = now_us + POWER_UP_US + RESET_LIMIT_US;
    drv2605_go_to(actuator, STEP_ENABLE, now_us + POWER_UP_US);
}

void drv2605_poll(struct actuator *actuator, uint32_t now_us) {
    if (actuator->step == STEP_ENABLE && bridge_is_due(actuator->step_us, now_us)) {
        actuator->is_enabled = true;
        drv2605_go_to(actuator, STEP_RESET, now_us);
    }
}

void drv2605_wake(struct actuator *actuator, uint32_t now_us) {
    actuator->state = BRIDGE_ACTUATOR_AWAKE;
    actuator->shown = 0;
    drv2605_go_to(actuator, STEP_WAKE_CHECK, now_us);
}

bool drv2605_resume(struct actuator *actuator, uint32_t now_us) {
    if (actuator->state != BRIDGE_ACTUATOR_COMING_TO_REST || actuator->step != STEP_STANDBY ||
        actuator->in_effect) {
        return false;
    }
    actuator->state = BRIDGE_ACTUATOR_AWAKE;
    drv2605_go_to(actuator, STEP_HEALTH, now_us + HEALTH_US);
    return true;
}

bool drv2605_is_running(const struct actuator *actuator) {
    return actuator->state == BRIDGE_ACTUATOR_AWAKE ||
           (actuator->state == BRIDGE_ACTUATOR_CALIBRATING &&
            actuator->step >= STEP_CALIBRATION_MODE);
}

bool drv2605_is_overdue(const struct actuator *actuator, uint32_t now_us) {
    return drv2605_is_ready(actuator) && bridge_is_due(actuator->step_us + HEALTH_US, now_us);
}

bool drv2605_is_ready(const struct actuator *actuator) {
    return actuator->state == BRIDGE_ACTUATOR_AWAKE && actuator->step == STEP_HEALTH;
}

void drv2605_rest(struct actuator *actuator, uint32_t now_us) {
    if (actuator->state != BRIDGE_ACTUATOR_CALIBRATING) {
        actuator->state = BRIDGE_ACTUATOR_COMING_TO_REST;
    }
    actuator->shown = 0;
    actuator->immediate = 0;
    drv2605_go_to(actuator, STEP_STOP_LEVEL, now_us);
}

void drv2605_shut_down(struct actuator *actuator, uint16_t faults) {
    actuator->is_enabled = false;
    actuator->state = BRIDGE_ACTUATOR_FAULT;
    actuator->step = STEP_NONE;
    actuator->shown = 0;
    actuator->immediate = 0;
    actuator->faults |= faults;
    actuator->has_stopped = true;
}

bool drv2605_may_be_silent(const struct actuator *actuator) {
    return actuator->step == STEP_RESET || actuator->step == STEP_RESET_WAIT;
}

bool drv2605_is_coming_to_rest(const struct actuator *actuator) {
    return actuator->step == STEP_STOP_LEVEL || actuator->step == STEP_STOP_CHECK ||
           actuator->step == STEP_STOP_GO;
}

/* A step has failed: again, or the safest way out that is left. */
static void retry(struct actuator *actuator, uint16_t fault, uint32_t now_us) {
    if (++actuator->attempts < ATTEMPTS_MAX) {
        actuator->step_us = now_us + RETRY_US;
        return;
    }
    switch ((enum drv2605_step)actuator->step) {
    case STEP_CALIBRATION_MODE:
    case STEP_CALIBRATION_GO:
    case STEP_CALIBRATION_WAIT:
    case STEP_CALIBRATION_CHECK:
    case STEP_CALIBRATION_STATUS:
    case STEP_CALIBRATION_READ:
        actuator->faults |= fault;
        drv2605_end_calibration(actuator, BRIDGE_CALIBRATION_BUS_ERROR, now_us);
        break;
    case STEP_STOP_LEVEL:
    case STEP_STOP_CHECK:
    case STEP_STOP_GO:
    case STEP_STANDBY:
    case STEP_STANDBY_CHECK:
        drv2605_shut_down(actuator, fault | BRIDGE_FAULT_REST);
        break;
    default:
        drv2605_shut_down(actuator, fault);
        break;
    }
}

static void wait_for_reset(struct actuator *actuator, uint32_t now_us) {
    if (bridge_is_due(actuator->deadline_us, now_us)) {
        drv2605_shut_down(actuator, BRIDGE_FAULT_NO_CHIP);
        return;
    }
    actuator->step_us = now_us + RESET_POLL_US;
}

static void identify(struct actuator *actuator, uint8_t status, uint32_t now_us) {
    actuator->chip_id = status >> DRV2605_DEVICE_ID_SHIFT;
    switch (actuator->chip_id) {
    case DRV2605_ID_DRV2605:
    case DRV2605_ID_DRV2605L:
        drv2605_go_to(actuator, STEP_ZERO, now_us);
        break;
    case DRV2605_ID_DRV2604:
    case DRV2605_ID_DRV2604L:
        drv2605_shut_down(actuator, BRIDGE_FAULT_WRONG_CHIP);
        break;
    default:
        drv2605_shut_down(actuator, BRIDGE_FAULT_NO_CHIP);
        break;
    }
}

static void next_image_register(struct actuator *actuator, uint8_t step, uint32_t now_us) {
    actuator->attempts = 0;
    if (++actuator->index == image_size(actuator)) {
        drv2605_go_to(actuator, step, now_us);
    }
}

static void verify(struct actuator *actuator, uint8_t value, uint32_t now_us) {
    if (drv2605_image_registers[actuator->index] == DRV2605_REG_CONTROL4) {
        value &= (uint8_t)~DRV2605_OTP_STATUS;
    }
    if (value == *drv2605_image(actuator, drv2605_image_registers[actuator->index])) {
        next_image_register(actuator, STEP_STANDBY, now_us);
    } else {
        drv2605_shut_down(actuator, BRIDGE_FAULT_READ_BACK);
    }
}

static void check_standby(struct actuator *actuator, uint8_t mode, uint32_t now_us) {
    if (!(mode & DRV2605_STANDBY)) {
        actuator->step = STEP_STANDBY;
        retry(actuator, 0, now_us);
        return;
    }
    drv2605_go_to(actuator, STEP_NONE, now_us);
    actuator->in_effect = false;
    actuator->state =
        actuator->is_configured ? BRIDGE_ACTUATOR_AT_REST : BRIDGE_ACTUATOR_UNCONFIGURED;
}

static void check_stopped(struct actuator *actuator, uint8_t level, uint32_t now_us) {
    if (level != 0) {
        actuator->step = STEP_STOP_LEVEL;
        retry(actuator, 0, now_us);
    } else if (actuator->in_effect || actuator->state == BRIDGE_ACTUATOR_CALIBRATING) {
        drv2605_go_to(actuator, STEP_STOP_GO, now_us);
    } else {
        drv2605_go_to(actuator, STEP_STANDBY, now_us + brake_us(actuator));
    }
}

/* Calibration changes registers, passed or not: the image is written again before standby. */
static void after_go_cleared(struct actuator *actuator, uint32_t now_us) {
    bool reload = actuator->state == BRIDGE_ACTUATOR_CALIBRATING;
    drv2605_go_to(actuator, reload ? STEP_IMAGE : STEP_STANDBY, now_us + brake_us(actuator));
}

void drv2605_lose_chip(struct actuator *actuator, uint32_t now_us) {
    actuator->faults |= BRIDGE_FAULT_CHIP_RESET;
    actuator->chip_was_reset = true;
    actuator->has_stopped = true;
    drv2605_start(actuator, now_us);
}

/* A chip that was reset while at rest would drive its actuator as it finds fit. Its stream goes on,
   for nothing has been shown yet. */
static void check_before_waking(struct actuator *actuator, uint8_t value, uint32_t now_us) {
    uint8_t reg = drv2605_wake_registers[actuator->index];
    bool is_good = reg == DRV2605_REG_STATUS ? value >> DRV2605_DEVICE_ID_SHIFT == actuator->chip_id
                                             : value == *drv2605_image(actuator, reg);
    if (!is_good) {
        drv2605_lose_chip(actuator, now_us);
        actuator->has_stopped = false;
    } else if (++actuator->index == DRV2605_WAKE_COUNT) {
        drv2605_go_to(actuator, STEP_WAKE_ZERO, now_us);
    }
}

static void check_mode(struct actuator *actuator, uint8_t mode, uint32_t now_us) {
    uint8_t expected = actuator->in_effect ? DRV2605_MODE_INTERNAL_TRIGGER : DRV2605_MODE_RTP;
    if ((mode & (DRV2605_STANDBY | DRV2605_MODE_MASK)) != expected) {
        drv2605_lose_chip(actuator, now_us);
    }
}

static void check_status(struct actuator *actuator, uint8_t status, uint32_t now_us) {
    if (status >> DRV2605_DEVICE_ID_SHIFT != actuator->chip_id) {
        drv2605_lose_chip(actuator, now_us);
        return;
    }
    uint16_t faults = (status & DRV2605_OVER_TEMP) ? BRIDGE_FAULT_OVER_TEMPERATURE : 0;
    if (status & DRV2605_OC_DETECT) {
        faults |= BRIDGE_FAULT_OVER_CURRENT;
    }
    if (faults) {
        actuator->faults |= faults;
        actuator->has_stopped = true;
        drv2605_rest(actuator, now_us);
    }
}

static void check_health(struct actuator *actuator, uint8_t value, uint32_t now_us) {
    uint8_t reg = drv2605_health_registers[actuator->health];
    actuator->health = (uint8_t)((actuator->health + 1) % DRV2605_HEALTH_COUNT);
    drv2605_go_to(actuator, STEP_HEALTH, now_us + HEALTH_US);
    if (reg == DRV2605_REG_MODE) {
        check_mode(actuator, value, now_us);
    } else if (reg == DRV2605_REG_STATUS) {
        check_status(actuator, value, now_us);
    } else if (actuator->shown) {
        actuator->supply_mv = (uint16_t)(value * DRV2605_VBAT_FULL_SCALE_MV / UINT8_MAX);
    }
}

void drv2605_done(struct actuator *actuator, bool ok, uint8_t value, uint32_t now_us) {
    if (!ok) {
        if (drv2605_may_be_silent(actuator)) {
            wait_for_reset(actuator, now_us);
        } else {
            retry(actuator, BRIDGE_FAULT_BUS, now_us);
        }
        return;
    }
    switch ((enum drv2605_step)actuator->step) {
    case STEP_NONE:
    case STEP_ENABLE:
        break;
    case STEP_RESET:
        drv2605_go_to(actuator, STEP_RESET_WAIT, now_us + RESET_POLL_US);
        break;
    case STEP_RESET_WAIT:
        if (value & DRV2605_DEV_RESET) {
            wait_for_reset(actuator, now_us);
        } else {
            drv2605_go_to(actuator, STEP_IDENTIFY, now_us);
        }
        break;
    case STEP_IDENTIFY:
        identify(actuator, value, now_us);
        break;
    case STEP_ZERO:
        drv2605_go_to(actuator, actuator->is_configured ? STEP_IMAGE : STEP_STANDBY, now_us);
        break;
    case STEP_IMAGE:
        next_image_register(actuator, STEP_VERIFY, now_us);
        break;
    case STEP_VERIFY:
        verify(actuator, value, now_us);
        break;
    case STEP_STANDBY:
        actuator->step = STEP_STANDBY_CHECK;
        break;
    case STEP_STANDBY_CHECK:
        check_standby(actuator, value, now_us);
        break;
    case STEP_WAKE_CHECK:
        check_before_waking(actuator, value, now_us);
        break;
    case STEP_WAKE_ZERO:
        drv2605_go_to(actuator, STEP_WAKE_MODE, now_us);
        break;
    case STEP_WAKE_MODE:
        drv2605_go_to(actuator, STEP_HEALTH, now_us + HEALTH_US);
        break;
    case STEP_HEALTH:
        check_health(actuator, value, now_us);
        break;
    case STEP_STOP_LEVEL:
        actuator->step = STEP_STOP_CHECK;
        break;
    case STEP_STOP_CHECK:
        check_stopped(actuator, value, now_us);
        break;
    case STEP_STOP_GO:
        after_go_cleared(actuator, now_us);
        break;
    default:
        drv2605_calibration_done(actuator, value, now_us);
        break;
    }
}
