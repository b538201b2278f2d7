/* How long an actuator is driven above what it stands for ever (SPEC 8, budget). */
#include "actuator.h"
#include "bridge_bytes.h"
#include "bridge_outline.h"
#include "drv2605.h"

/* Of a value's power, the part that counts. */
static uint8_t heating(uint8_t value) {
    return (uint8_t)((uint16_t)((uint16_t)value * value) >> 8);
}

bool actuator_bear(struct actuator *actuator, uint16_t now) {
    const uint8_t *bytes = actuator->configuration.bytes;
    if ((int16_t)(now - actuator->heat_due) < 0) {
        return false;
    }
    actuator->heat_due = (uint16_t)(actuator->heat_due + drv2605_time(BRIDGE_HEAT_STEP_US));
    uint8_t sustained = bytes[CONFIGURATION_SUSTAINED];
    uint8_t value = actuator_value(actuator, actuator->shown);
    if (!configuration_is_unsigned(&actuator->configuration)) {
        value = (uint8_t)(value * 2);
        sustained &= 0xFE;
    }
    int32_t *heat = BRIDGE_HELD(&actuator->heat);
    int32_t warmer = *heat + heating(value);
    warmer -= heating(sustained);
    if (warmer < 0) {
        warmer = 0;
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
