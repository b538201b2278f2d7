#include "drv2605_steps.h"

#include "bridge_flash.h"
#include "bridge_outline.h"
#include "bridge_time.h"
#include "drv2605.h"

/* What a step does other than writing a number. */
#define READ 0xFF
#define WRITE_IMAGE 0xFE
#define WRITE_CALIBRATION_MODE 0xFD

/* The pause precedes the transfer. STATUS forgets what it has latched, so waking also looks at
   registers that say kind, format and clamp. */
static const struct step {
    uint8_t reg;
    uint8_t action;
    uint8_t pause;
} steps[] BRIDGE_FLASH = {
    [STEP_ENABLE] = {0, 0, DRV2605_QUARTERS(250)}, /* SLOS854D 9.3: before the first access */
    [STEP_RESET] = {DRV2605_REG_MODE, DRV2605_DEV_RESET, 0},
    [STEP_RESET_WAIT] = {DRV2605_REG_MODE, READ, DRV2605_QUARTERS(500)},
    [STEP_IDENTIFY] = {DRV2605_REG_STATUS, READ, 0},
    [STEP_ZERO] = {DRV2605_REG_RTP_INPUT, 0, 0},
    [STEP_LIBRARY] = {DRV2605_REG_LIBRARY, WRITE_IMAGE, 0},
    [STEP_IMAGE] = {DRV2605_REG_RATED_VOLTAGE, WRITE_IMAGE, 0},
    [STEP_VERIFY_LIBRARY] = {DRV2605_REG_LIBRARY, READ, 0},
    [STEP_VERIFY_IMAGE] = {DRV2605_REG_RATED_VOLTAGE, READ, 0},

    [STEP_STANDBY] = {DRV2605_REG_MODE, DRV2605_STANDBY | DRV2605_MODE_RTP, 0},
    [STEP_STANDBY_CHECK] = {DRV2605_REG_MODE, READ, 0},
    [STEP_STOP_LEVEL] = {DRV2605_REG_RTP_INPUT, 0, 0},
    [STEP_STOP_CHECK] = {DRV2605_REG_RTP_INPUT, READ, 0},
    [STEP_STOP_GO] = {DRV2605_REG_GO, 0, 0},

    [STEP_WAKE_STATUS] = {DRV2605_REG_STATUS, READ, 0},
    [STEP_WAKE_CLAMP] = {DRV2605_REG_OD_CLAMP, READ, 0},
    [STEP_WAKE_FEEDBACK] = {DRV2605_REG_FEEDBACK, READ, 0},
    [STEP_WAKE_CONTROL3] = {DRV2605_REG_CONTROL3, READ, 0},
    [STEP_WAKE_ZERO] = {DRV2605_REG_RTP_INPUT, 0, 0},
    [STEP_WAKE_MODE] = {DRV2605_REG_MODE, DRV2605_MODE_RTP, 0},
    [STEP_HEALTH] = {DRV2605_REG_STATUS, READ, DRV2605_QUARTERS(DRV2605_HEALTH_US)},

    [STEP_CALIBRATION_MODE] = {DRV2605_REG_MODE, WRITE_CALIBRATION_MODE, 0},
    [STEP_CALIBRATION_GO] = {DRV2605_REG_GO, DRV2605_GO, 0},
    [STEP_CALIBRATION_WAIT] = {DRV2605_REG_GO, READ, DRV2605_QUARTERS(10000)},
    [STEP_CALIBRATION_CHECK] = {DRV2605_REG_MODE, READ, 0},
    [STEP_CALIBRATION_STATUS] = {DRV2605_REG_STATUS, READ, 0},
    [STEP_CALIBRATION_COMP] = {DRV2605_REG_A_CAL_COMP, READ, 0},
    [STEP_CALIBRATION_BEMF] = {DRV2605_REG_A_CAL_BEMF, READ, 0},
    [STEP_CALIBRATION_FEEDBACK] = {DRV2605_REG_FEEDBACK, READ, 0},
};

uint8_t drv2605_register(const struct actuator *actuator) {
    if (actuator->step == STEP_HEALTH) {
        return actuator->health;
    }
    return (uint8_t)(bridge_flash_byte(&steps[actuator->step].reg) + actuator->index);
}

uint8_t drv2605_image_offset(uint8_t reg) {
    return (uint8_t)(reg == DRV2605_REG_LIBRARY
                         ? CONFIGURATION_LIBRARY
                         : reg - DRV2605_REG_RATED_VOLTAGE + CONFIGURATION_RATED_VOLTAGE);
}

BRIDGE_OUTLINE uint32_t drv2605_after(const struct actuator *actuator, uint16_t quarters) {
    return actuator->step_us + UINT32_C(250) * quarters;
}

void drv2605_go_to(struct actuator *actuator, uint8_t step) {
    actuator->step = step;
    actuator->index = 0;
    actuator->attempts = 0;
    actuator->step_us = drv2605_after(actuator, bridge_flash_byte(&steps[step].pause));
}

bool drv2605_wants_transfer(struct actuator *actuator, uint32_t now_us) {
    uint8_t step = actuator->step;
    if (step == STEP_NONE || !bridge_is_due(actuator->step_us, now_us)) {
        return false;
    }
    if (step == STEP_ENABLE) {
        actuator->is_enabled = true;
        drv2605_go_to(actuator, STEP_RESET);
        return false;
    }
    return true;
}

void drv2605_next_transfer(struct actuator *actuator, struct bridge_transfer *transfer) {
    uint8_t action = bridge_flash_byte(&steps[actuator->step].action);
    transfer->reg = drv2605_register(actuator);
    transfer->is_read = action == READ;
    transfer->value = action;
    if (action == WRITE_IMAGE) {
        transfer->value = actuator->configuration.bytes[drv2605_image_offset(transfer->reg)];
    } else if (action == WRITE_CALIBRATION_MODE) {
        transfer->value = actuator->calibration_mode;
    }
}
