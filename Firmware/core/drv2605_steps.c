#include "drv2605_steps.h"

#include "bridge_time.h"
#include "drv2605.h"

const uint8_t drv2605_image_registers[BRIDGE_IMAGE_SIZE] = {
    DRV2605_REG_LIBRARY,    DRV2605_REG_RATED_VOLTAGE, DRV2605_REG_OD_CLAMP,
    DRV2605_REG_A_CAL_COMP, DRV2605_REG_A_CAL_BEMF,    DRV2605_REG_FEEDBACK,
    DRV2605_REG_CONTROL1,   DRV2605_REG_CONTROL2,      DRV2605_REG_CONTROL3,
    DRV2605_REG_CONTROL4,   DRV2605_REG_CONTROL5,      DRV2605_REG_OL_LRA_PERIOD,
};

const uint8_t drv2605_calibrated_registers[DRV2605_CALIBRATED_COUNT] = {
    DRV2605_REG_A_CAL_COMP,
    DRV2605_REG_A_CAL_BEMF,
    DRV2605_REG_FEEDBACK,
};

const uint8_t drv2605_health_registers[DRV2605_HEALTH_COUNT] = {
    DRV2605_REG_MODE,
    DRV2605_REG_STATUS,
    DRV2605_REG_VBAT,
};

const uint8_t drv2605_wake_registers[DRV2605_WAKE_COUNT] = {
    DRV2605_REG_STATUS,
    DRV2605_REG_OD_CLAMP,
    DRV2605_REG_FEEDBACK,
    DRV2605_REG_CONTROL3,
};

uint8_t drv2605_calibration_mode(const struct actuator *actuator) {
    return actuator->is_diagnosing ? DRV2605_MODE_DIAGNOSTICS : DRV2605_MODE_AUTO_CALIBRATION;
}

uint8_t *drv2605_image(struct actuator *actuator, uint8_t reg) {
    uint8_t index = reg == DRV2605_REG_LIBRARY ? 0 : (uint8_t)(reg - DRV2605_REG_RATED_VOLTAGE + 1);
    return &actuator->configuration.bytes[CONFIGURATION_IMAGE + index];
}

void drv2605_go_to(struct actuator *actuator, uint8_t step, uint32_t at_us) {
    actuator->step = step;
    actuator->step_us = at_us;
    actuator->index = 0;
    actuator->attempts = 0;
}

static void write(struct bridge_transfer *transfer, uint8_t reg, uint8_t value) {
    transfer->reg = reg;
    transfer->value = value;
    transfer->is_read = false;
}

static void read(struct bridge_transfer *transfer, uint8_t reg) {
    transfer->reg = reg;
    transfer->value = 0;
    transfer->is_read = true;
}

bool drv2605_next_transfer(const struct actuator *actuator, uint32_t now_us,
                           struct bridge_transfer *transfer) {
    if (actuator->step <= STEP_ENABLE || !bridge_is_due(actuator->step_us, now_us)) {
        return false;
    }
    const uint8_t *image = &actuator->configuration.bytes[CONFIGURATION_IMAGE];
    switch ((enum drv2605_step)actuator->step) {
    case STEP_NONE:
    case STEP_ENABLE:
        break;
    case STEP_RESET:
        write(transfer, DRV2605_REG_MODE, DRV2605_DEV_RESET);
        break;
    case STEP_RESET_WAIT:
    case STEP_STANDBY_CHECK:
    case STEP_CALIBRATION_CHECK:
        read(transfer, DRV2605_REG_MODE);
        break;
    case STEP_IDENTIFY:
    case STEP_CALIBRATION_STATUS:
        read(transfer, DRV2605_REG_STATUS);
        break;
    case STEP_ZERO:
    case STEP_WAKE_ZERO:
    case STEP_STOP_LEVEL:
        write(transfer, DRV2605_REG_RTP_INPUT, 0);
        break;
    case STEP_STOP_CHECK:
        read(transfer, DRV2605_REG_RTP_INPUT);
        break;
    case STEP_IMAGE:
        write(transfer, drv2605_image_registers[actuator->index], image[actuator->index]);
        break;
    case STEP_VERIFY:
        read(transfer, drv2605_image_registers[actuator->index]);
        break;
    case STEP_STANDBY:
        write(transfer, DRV2605_REG_MODE, DRV2605_STANDBY | DRV2605_MODE_RTP);
        break;
    case STEP_WAKE_CHECK:
        read(transfer, drv2605_wake_registers[actuator->index]);
        break;
    case STEP_WAKE_MODE:
        write(transfer, DRV2605_REG_MODE, DRV2605_MODE_RTP);
        break;
    case STEP_HEALTH:
        read(transfer, drv2605_health_registers[actuator->health]);
        break;
    case STEP_STOP_GO:
        write(transfer, DRV2605_REG_GO, 0);
        break;
    case STEP_CALIBRATION_MODE:
        write(transfer, DRV2605_REG_MODE, drv2605_calibration_mode(actuator));
        break;
    case STEP_CALIBRATION_GO:
        write(transfer, DRV2605_REG_GO, DRV2605_GO);
        break;
    case STEP_CALIBRATION_WAIT:
        read(transfer, DRV2605_REG_GO);
        break;
    case STEP_CALIBRATION_READ:
        read(transfer, drv2605_calibrated_registers[actuator->index]);
        break;
    }
    return true;
}
