/* The steps of the DRV2605 driver as a table, and the transfer of a step. */
#include "drv2605_steps.h"

#include "../support/flash.h"
#include "driver.h"
#include "drv2605_image.h"

#ifdef BRIDGE_DRIVER_DRV2605

/* The number that a step uses for the first register of the image. Steps refer to every other
   register by its own number, which is also its offset in the configuration (drv2605_image.h). */
#define REG_IMAGE DRV2605_IMAGE_LIBRARY

#define MEASURE_PATIENCE 8 /* counts: 2 ms */
#define DISABLED_PAUSE 8   /* counts: 2 ms, within which a port sets the EN pin */
#define ALL_BITS 0xFF
#define ID_BITS (uint8_t)(0xFF << DRV2605_DEVICE_ID_SHIFT)
#define MODE_BITS (DRV2605_STANDBY | DRV2605_MODE_MASK)

/* Encodes a step: a register, and the byte to write or a mask for the byte that is read. Waking a
   chip also checks the registers of kind, format and clamp, because in that state reading STATUS
   clears faults. */
#define STEP(reg, operand) (uint16_t)((reg) | (unsigned)(operand) << 8)
static const uint16_t steps[] BRIDGE_FLASH = {
    [DRV2605_STEP_RESET] = STEP(DRV2605_REG_MODE, DRV2605_DEV_RESET),
    [DRV2605_STEP_RESET_WAIT] =
        STEP(DRV2605_READ | DRV2605_BACK | DRV2605_REG_MODE, DRV2605_DEV_RESET | MODE_BITS),
    [DRV2605_STEP_IDENTIFY] = STEP(DRV2605_READ | DRV2605_REG_STATUS, 0),
    [DRV2605_STEP_ZERO] = STEP(DRV2605_REG_RTP_INPUT, 0),
    [DRV2605_STEP_IMAGE] = STEP(REG_IMAGE, 0),
    [DRV2605_STEP_VERIFY] = STEP(DRV2605_READ | REG_IMAGE, ALL_BITS),

    [DRV2605_STEP_STANDBY] = STEP(DRV2605_REG_MODE, DRV2605_STANDBY | DRV2605_MODE_RTP),
    [DRV2605_STEP_STANDBY_CHECK] =
        STEP(DRV2605_READ | DRV2605_BACK | DRV2605_REG_MODE, DRV2605_STANDBY),
    [DRV2605_STEP_STANDBY_LEVEL] = STEP(DRV2605_READ | DRV2605_REG_RTP_INPUT, 0),
    [DRV2605_STEP_STOP_LOOK] = STEP(DRV2605_READ | DRV2605_REG_RTP_INPUT, 0),
    [DRV2605_STEP_STOP_LEVEL] = STEP(DRV2605_REG_RTP_INPUT, 0),
    [DRV2605_STEP_STOP_CHECK] = STEP(DRV2605_READ | DRV2605_BACK | DRV2605_REG_RTP_INPUT, ALL_BITS),
    [DRV2605_STEP_STOP_GO] = STEP(DRV2605_REG_GO, 0),
    [DRV2605_STEP_STOP_GO_CHECK] = STEP(DRV2605_READ | DRV2605_BACK | DRV2605_REG_GO, DRV2605_GO),

    [DRV2605_STEP_CALIBRATION_MODE] = STEP(DRV2605_REG_MODE, DRV2605_MODE_AUTO_CALIBRATION),
    [DRV2605_STEP_CALIBRATION_LOOK_AT_CLAMP] = STEP(DRV2605_READ | DRV2605_REG_OD_CLAMP, ALL_BITS),
    [DRV2605_STEP_CALIBRATION_LOOK_AT_FEEDBACK] =
        STEP(DRV2605_READ | DRV2605_REG_FEEDBACK, ALL_BITS),
    [DRV2605_STEP_CALIBRATION_LOOK_AT_CONTROL3] =
        STEP(DRV2605_READ | DRV2605_REG_CONTROL3, ALL_BITS),
    [DRV2605_STEP_CALIBRATION_GO] = STEP(DRV2605_REG_GO, DRV2605_GO),
    [DRV2605_STEP_CALIBRATION_WAIT] = STEP(DRV2605_READ | DRV2605_REG_GO, DRV2605_GO),
    [DRV2605_STEP_CALIBRATION_CHECK] = STEP(DRV2605_READ | DRV2605_REG_MODE, MODE_BITS),
    [DRV2605_STEP_CALIBRATION_STATUS] =
        STEP(DRV2605_READ | DRV2605_REG_STATUS, DRV2605_DIAG_RESULT),
    [DRV2605_STEP_CALIBRATION_COMP] = STEP(DRV2605_READ | DRV2605_REG_A_CAL_COMP, 0),
    [DRV2605_STEP_CALIBRATION_BEMF] = STEP(DRV2605_READ | DRV2605_REG_A_CAL_BEMF, 0),
    [DRV2605_STEP_CALIBRATION_FEEDBACK] =
        STEP(DRV2605_READ | DRV2605_REG_FEEDBACK, (uint8_t)~DRV2605_BEMF_GAIN),
    [DRV2605_STEP_DIAGNOSIS_DISABLED] = STEP(DRV2605_READ | DRV2605_REG_MODE, MODE_BITS),

    [DRV2605_STEP_WAKE_STATUS] = STEP(DRV2605_READ | DRV2605_REG_STATUS, ID_BITS),
    [DRV2605_STEP_WAKE_LEVEL] = STEP(DRV2605_READ | DRV2605_REG_RTP_INPUT, 0),
    [DRV2605_STEP_WAKE_MODE] = STEP(DRV2605_REG_MODE, DRV2605_MODE_RTP),
    [DRV2605_STEP_WAKE_CLAMP] = STEP(DRV2605_READ | DRV2605_REG_OD_CLAMP, ALL_BITS),
    [DRV2605_STEP_WAKE_FEEDBACK] = STEP(DRV2605_READ | DRV2605_REG_FEEDBACK, ALL_BITS),
    [DRV2605_STEP_WAKE_CONTROL3] = STEP(DRV2605_READ | DRV2605_REG_CONTROL3, ALL_BITS),
    [DRV2605_STEP_HEALTH_LEVEL] = STEP(DRV2605_READ | DRV2605_REG_RTP_INPUT, 0),
    [DRV2605_STEP_HEALTH_MODE] = STEP(DRV2605_READ | DRV2605_REG_MODE, MODE_BITS),
    [DRV2605_STEP_HEALTH_STATUS] = STEP(DRV2605_READ | DRV2605_REG_STATUS, ID_BITS),
    [DRV2605_STEP_HEALTH_SUPPLY] = STEP(DRV2605_READ | DRV2605_REG_VBAT, 0),
    [DRV2605_STEP_HEALTH_PERIOD] = STEP(DRV2605_READ | DRV2605_REG_LRA_PERIOD, 0),
};

void drv2605_wait(struct actuator *actuator, uint16_t counts) {
    actuator->due = (uint16_t)(actuator->due + counts);
}

void drv2605_go_to(struct actuator *actuator, uint8_t step) {
    uint8_t pause = 0;
    if (step < DRV2605_STEP_IDENTIFY) {
        pause = DRV2605_RETRY;
    } else if (step == DRV2605_STEP_HEALTH) {
        pause = DRV2605_HEALTH;
        step = (uint8_t)(DRV2605_STEP_HEALTH + actuator->health);
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

/* Prepares a transfer. After each failed attempt, the driver waits longer for the chip to wake up
   after EN has risen. If there is no gap on the bus, the driver does not read measured values, so
   that they do not delay a check. After a diagnosis, the chip is accessed once while EN is low. */
bool driver_prepare_transfer(struct actuator *actuator, uint16_t now, bool may_enable) {
    int16_t waited = (int16_t)(now - actuator->due);
    if (actuator->step == DRV2605_STEP_NONE || waited < 0) {
        return false;
    }
    if (actuator->step >= DRV2605_STEP_HEALTH_SUPPLY && waited > MEASURE_PATIENCE) {
        drv2605_go_to(actuator, DRV2605_STEP_HEALTH);
        return false;
    }
    if (actuator->step == DRV2605_STEP_DIAGNOSIS_DISABLED) {
        if (actuator->is_enabled) {
            actuator->is_enabled = false;
            drv2605_wait(actuator, DISABLED_PAUSE);
            return false;
        }
        return true;
    }
    if (!actuator->is_enabled && may_enable) {
        actuator->is_enabled = true;
        actuator->due = (uint16_t)(now + actuator->attempts);
        return false;
    }
    return actuator->is_enabled;
}

/* Returns the byte that a step writes to its register or expects to read. After a reset, MODE is
   standby. */
static uint8_t value_of(const struct actuator *actuator) {
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
    if (reg != DRV2605_REG_MODE) {
        return 0;
    }
    return actuator->mode == DRV2605_DEV_RESET ? DRV2605_STANDBY : actuator->mode;
}

bool drv2605_looks_at_level(const struct actuator *actuator) {
    return actuator->reg == (DRV2605_READ | DRV2605_REG_RTP_INPUT);
}

void driver_next_transfer(struct actuator *actuator, struct bridge_transfer *transfer) {
    if (drv2605_looks_at_level(actuator)) {
        actuator->operand =
            actuator->driven; /* a copy, because the next write may change `driven` */
    }
    uint8_t reg = actuator->reg & DRV2605_REG_MASK;
    transfer->reg = reg == REG_IMAGE ? DRV2605_REG_LIBRARY : reg;
    transfer->is_read = actuator->reg & DRV2605_READ;
    transfer->value = value_of(actuator);
}

/* Returns the bits that are compared. Excludes reserved bits, whose value is undefined, and the bit
   that reports whether the one-time memory was programmed. */
static uint8_t compared_bits(const struct actuator *actuator) {
    switch (actuator->reg) {
    case DRV2605_READ | REG_IMAGE:
        return DRV2605_LIBRARY_BITS;
    case DRV2605_READ | DRV2605_REG_CONTROL1:
        return DRV2605_CONTROL1_BITS;
    case DRV2605_READ | DRV2605_REG_OL_LRA_PERIOD:
        return DRV2605_OL_LRA_PERIOD_BITS;
    case DRV2605_READ | DRV2605_REG_CONTROL4:
        return actuator->chip_id == DRV2605_ID_DRV2605L ? DRV2605_CONTROL4_BITS
                                                        : DRV2605_CONTROL4_BITS_DRV2605;
    default:
        return actuator->operand;
    }
}

bool drv2605_is_as_expected(const struct actuator *actuator, uint8_t value) {
    return !(actuator->reg & DRV2605_READ) ||
           !((value ^ value_of(actuator)) & compared_bits(actuator));
}

#endif
