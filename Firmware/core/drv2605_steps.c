#include "drv2605_steps.h"

#include "bridge_flash.h"
#include "bridge_outline.h"
#include "drv2605.h"

/* The image in one piece: its first register is given the number before the others', all of which
   stand in the configuration at their numbers. */
#define REG_IMAGE CONFIGURATION_IMAGE
_Static_assert(CONFIGURATION_RATED_VOLTAGE == DRV2605_REG_RATED_VOLTAGE, "as REG_IMAGE says");

#define ALL_BITS 0xFF
#define ID_BITS (uint8_t)(0xFF << DRV2605_DEVICE_ID_SHIFT)
#define MODE_BITS (DRV2605_STANDBY | DRV2605_MODE_MASK)

/* A register; what is written to it, or the bits that count of what is read. STATUS forgets what it
   has latched, so waking also looks at registers that say kind, format and clamp. */
#define STEP(reg, operand) (uint16_t)((reg) | (unsigned)(operand) << 8)
static const uint16_t steps[] BRIDGE_FLASH = {
    [STEP_RESET] = STEP(DRV2605_REG_MODE, DRV2605_DEV_RESET),
    [STEP_RESET_WAIT] = STEP(DRV2605_READ | DRV2605_REG_MODE, DRV2605_DEV_RESET),
    [STEP_IDENTIFY] = STEP(DRV2605_READ | DRV2605_REG_STATUS, 0),
    [STEP_ZERO] = STEP(DRV2605_REG_RTP_INPUT, 0),
    [STEP_IMAGE] = STEP(REG_IMAGE, 0),
    [STEP_VERIFY] = STEP(DRV2605_READ | REG_IMAGE, ALL_BITS),

    [STEP_STANDBY] = STEP(DRV2605_REG_MODE, DRV2605_STANDBY | DRV2605_MODE_RTP),
    [STEP_STANDBY_CHECK] = STEP(DRV2605_READ | DRV2605_BACK | DRV2605_REG_MODE, DRV2605_STANDBY),
    [STEP_STOP_GO] = STEP(DRV2605_REG_GO, 0),
    [STEP_STOP_LEVEL] = STEP(DRV2605_REG_RTP_INPUT, 0),
    [STEP_STOP_CHECK] = STEP(DRV2605_READ | DRV2605_BACK | DRV2605_REG_RTP_INPUT, ALL_BITS),

    [STEP_CALIBRATION_MODE] = STEP(DRV2605_REG_MODE, DRV2605_MODE_AUTO_CALIBRATION),
    [STEP_CALIBRATION_LOOK_AT_CLAMP] = STEP(DRV2605_READ | DRV2605_REG_OD_CLAMP, ALL_BITS),
    [STEP_CALIBRATION_LOOK_AT_FEEDBACK] = STEP(DRV2605_READ | DRV2605_REG_FEEDBACK, ALL_BITS),
    [STEP_CALIBRATION_LOOK_AT_CONTROL3] = STEP(DRV2605_READ | DRV2605_REG_CONTROL3, ALL_BITS),
    [STEP_CALIBRATION_GO] = STEP(DRV2605_REG_GO, DRV2605_GO),
    [STEP_CALIBRATION_WAIT] = STEP(DRV2605_READ | DRV2605_REG_GO, DRV2605_GO),
    [STEP_CALIBRATION_CHECK] = STEP(DRV2605_READ | DRV2605_REG_MODE, MODE_BITS),
    [STEP_CALIBRATION_STATUS] = STEP(DRV2605_READ | DRV2605_REG_STATUS, DRV2605_DIAG_RESULT),
    [STEP_CALIBRATION_COMP] = STEP(DRV2605_READ | DRV2605_REG_A_CAL_COMP, 0),
    [STEP_CALIBRATION_BEMF] = STEP(DRV2605_READ | DRV2605_REG_A_CAL_BEMF, 0),
    [STEP_CALIBRATION_FEEDBACK] =
        STEP(DRV2605_READ | DRV2605_REG_FEEDBACK, (uint8_t)~DRV2605_BEMF_GAIN),

    [STEP_WAKE_STATUS] = STEP(DRV2605_READ | DRV2605_REG_STATUS, ID_BITS),
    [STEP_WAKE_ZERO] = STEP(DRV2605_REG_RTP_INPUT, 0),
    [STEP_WAKE_MODE] = STEP(DRV2605_REG_MODE, DRV2605_MODE_RTP),
    [STEP_WAKE_CLAMP] = STEP(DRV2605_READ | DRV2605_REG_OD_CLAMP, ALL_BITS),
    [STEP_WAKE_FEEDBACK] = STEP(DRV2605_READ | DRV2605_REG_FEEDBACK, ALL_BITS),
    [STEP_WAKE_CONTROL3] = STEP(DRV2605_READ | DRV2605_REG_CONTROL3, ALL_BITS),
    [STEP_HEALTH_MODE] = STEP(DRV2605_READ | DRV2605_REG_MODE, MODE_BITS),
    [STEP_HEALTH_STATUS] = STEP(DRV2605_READ | DRV2605_REG_STATUS, ID_BITS),
    [STEP_HEALTH_SUPPLY] = STEP(DRV2605_READ | DRV2605_REG_VBAT, 0),
};

BRIDGE_OUTLINE void drv2605_wait(struct actuator *actuator, uint16_t counts) {
    actuator->due = (uint16_t)(actuator->due + counts);
}

BRIDGE_OUTLINE void drv2605_go_to(struct actuator *actuator, uint8_t step) {
    uint8_t pause = 0;
    if (step < STEP_IDENTIFY) {
        pause = DRV2605_RETRY;
    } else if (step >= STEP_HEALTH) {
        pause = DRV2605_HEALTH;
        step = (uint8_t)(STEP_HEALTH + actuator->health);
    }
    uint16_t row = bridge_flash_word(&steps[step]);
    uint8_t reg = (uint8_t)row;
    actuator->reg = reg;
    actuator->waits = 0;
    actuator->operand = (uint8_t)(row >> 8);
    if (reg == DRV2605_REG_MODE) {
        actuator->mode = actuator->operand;
    }
    if (!(reg & DRV2605_BACK)) {
        actuator->attempts = 0;
    }
    actuator->step = step;
    drv2605_wait(actuator, pause);
}

/* A chip that was not ready for the attempt before has a little longer to wake up in the next. */
bool drv2605_wants_transfer(struct actuator *actuator, uint16_t now, bool may_enable) {
    actuator = BRIDGE_HELD(actuator);
    if (actuator->step == STEP_NONE || (int16_t)(now - actuator->due) < 0) {
        return false;
    }
    if (!actuator->is_enabled && may_enable) {
        actuator->is_enabled = true;
        actuator->due = (uint16_t)(now + actuator->attempts);
        return false;
    }
    return actuator->is_enabled;
}

/* What is written to a register, or expected there. A reset ends by itself. */
BRIDGE_OUTLINE static uint8_t value_of(const struct actuator *actuator) {
    uint8_t reg = actuator->reg & DRV2605_REG_MASK;
    if (reg >= REG_IMAGE) {
        return actuator->configuration.bytes[reg];
    }
    if (!(actuator->reg & DRV2605_READ)) {
        return actuator->operand;
    }
    if (reg == DRV2605_REG_STATUS) {
        return (uint8_t)(actuator->chip_id << DRV2605_DEVICE_ID_SHIFT);
    }
    return reg == DRV2605_REG_MODE ? actuator->mode & (uint8_t)~DRV2605_DEV_RESET : 0;
}

void drv2605_next_transfer(struct actuator *actuator, struct bridge_transfer *transfer) {
    uint8_t reg = actuator->reg & DRV2605_REG_MASK;
    transfer->reg = reg == REG_IMAGE ? DRV2605_REG_LIBRARY : reg;
    transfer->is_read = actuator->reg & DRV2605_READ;
    transfer->value = value_of(actuator);
}

/* Whether the one-time memory has been burnt is nothing that was written. */
bool drv2605_is_as_expected(const struct actuator *actuator, uint8_t value) {
    if (!(actuator->reg & DRV2605_READ)) {
        return true;
    }
    uint8_t mask = actuator->operand;
    if (actuator->reg == (DRV2605_READ | DRV2605_REG_CONTROL4)) {
        mask = (uint8_t)~DRV2605_OTP_STATUS;
    }
    return !((value ^ value_of(actuator)) & mask);
}
