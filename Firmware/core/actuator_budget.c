/* How long an actuator is driven above what it stands for ever (SPEC 8, budget). */
#include "actuator.h"
#include "bridge_bytes.h"
#include "bridge_outline.h"
#include "drv2605.h"

/* Of a value's power, the part that counts. */
static uint8_t heating(uint8_t value) {
    return (uint8_t)((uint16_t)((uint16_t)value * value) >> 8);
}

/* Beyond, what is due lies ahead. */
#define LAG_MAX 0xFF00u

/* Steps that are due by now, all of which saw what is shown now. */
static uint16_t take_steps(struct actuator *actuator, uint16_t now) {
    uint16_t lag = (uint16_t)(now - actuator->heat_due);
    if (lag >= LAG_MAX) {
        return 0;
    }
    uint16_t step = drv2605_time(BRIDGE_HEAT_STEP_US);
    uint16_t steps = (uint16_t)(lag / step + 1);
    actuator->heat_due = (uint16_t)(actuator->heat_due + steps * step);
    return steps;
}

/* What a calibration drives is the chip's own affair: it counts as full level. */
static uint8_t value_borne(const struct actuator *actuator) {
    if (drv2605_drives_by_itself(actuator)) {
        return UINT8_MAX;
    }
    uint8_t value = actuator_value(actuator, actuator->shown);
    return configuration_is_unsigned(&actuator->configuration) ? value : (uint8_t)(value * 2);
}

bool actuator_bear(struct actuator *actuator, uint16_t now) {
    const uint8_t *bytes = actuator->configuration.bytes;
    uint16_t steps = take_steps(actuator, now);
    if (!steps) {
        return false;
    }
    uint8_t sustained = bytes[CONFIGURATION_SUSTAINED];
    if (!configuration_is_unsigned(&actuator->configuration)) {
        sustained &= 0xFE;
    }
    int16_t more = (int16_t)(heating(value_borne(actuator)) - heating(sustained));
    int32_t *heat = BRIDGE_HELD(&actuator->heat);
    int32_t warmer = *heat + (int32_t)more * (int16_t)steps;
    if (warmer < 0) {
        warmer = 0;
    } else if (warmer > BRIDGE_HEAT_MAX) {
        warmer = BRIDGE_HEAT_MAX;
    }
    *heat = warmer;
    if (warmer <= (int32_t)((uint32_t)bridge_u16(&bytes[CONFIGURATION_BUDGET]) << 8)) {
        actuator->is_over_budget = false;
        return false;
    }
    if (actuator->is_over_budget) {
        return false;
    }
    actuator->is_over_budget = true;
    return true;
}
