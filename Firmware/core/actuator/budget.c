/* The thermal budget: how long an actuator is driven above what it withstands for ever (SPEC 8). */
#include "../driver/driver.h"
#include "../support/bytes.h"
#include "../support/time.h"
#include "actuator.h"

/* The power of a value, in the unit of heat: its square without the low byte. */
static uint8_t heating(uint8_t value) {
    return (uint8_t)((uint16_t)((uint16_t)value * value) >> 8);
}

/* A lag beyond this is none: what is due lies ahead. */
#define LAG_MAX 0xFF00u

/* The number of steps that are due by now. The level that is shown now stands for all of them. */
static uint16_t take_steps(struct actuator *actuator, uint16_t now) {
    uint16_t lag = (uint16_t)(now - actuator->heat_due);
    if (lag >= LAG_MAX) {
        return 0;
    }
    uint16_t step = bridge_time_counts(BRIDGE_HEAT_STEP_US);
    uint16_t steps = (uint16_t)(lag / step + 1);
    actuator->heat_due = (uint16_t)(actuator->heat_due + steps * step);
    return steps;
}

/* The level, 0 to 255, that the chip drives. What a calibration drives nobody knows: it counts as
   full level. */
static uint8_t driven_level(const struct actuator *actuator) {
    if (driver_drives_by_itself(actuator)) {
        return UINT8_MAX;
    }
    uint8_t value = actuator_value(actuator, actuator->shown);
    return driver_takes_8_bits(&actuator->configuration) ? value : (uint8_t)(value * 2);
}

bool actuator_update_thermal_budget(struct actuator *actuator, uint16_t now) {
    const uint8_t *bytes = actuator->configuration.bytes;
    uint16_t steps = take_steps(actuator, now);
    if (!steps) {
        return false;
    }
    uint8_t sustained = bytes[CONFIGURATION_SUSTAINED];
    if (!driver_takes_8_bits(&actuator->configuration)) {
        sustained &= 0xFE;
    }
    int16_t more = (int16_t)(heating(driven_level(actuator)) - heating(sustained));
    int32_t warmer = actuator->heat + (int32_t)more * (int16_t)steps;
    if (warmer < 0) {
        warmer = 0;
    } else if (warmer > BRIDGE_HEAT_MAX) {
        warmer = BRIDGE_HEAT_MAX;
    }
    actuator->heat = warmer;
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
