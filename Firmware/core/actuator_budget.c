/* How long an actuator is driven above what it stands for ever (SPEC 8, budget). */
#include "actuator.h"
#include "bridge_bytes.h"
#include "bridge_outline.h"
#include "drv2605.h"

/* Of a value's power, the part that counts. */
static uint8_t heating(uint8_t value) {
    return (uint8_t)((uint16_t)((uint16_t)value * value) >> 8);
}

void actuator_show_anew(struct actuator *actuator) {
    for (uint8_t at = actuator->writes.tail; at != actuator->writes.head; at++) {
        struct bridge_write *write = BRIDGE_HELD(writes_at(&actuator->writes, at));
        write->value = actuator_value(actuator, write->level);
    }
    actuator->shows_old_gain = true;
}

bool actuator_bear(struct actuator *actuator, uint16_t now) {
    const uint8_t *bytes = actuator->configuration.bytes;
    if (bytes[CONFIGURATION_SUSTAINED] == UINT8_MAX) { /* no limit */
        actuator->heat_due = now;
        return false;
    }
    if ((int16_t)(now - actuator->heat_due) < 0) {
        return false;
    }
    actuator->heat_due = (uint16_t)(actuator->heat_due + drv2605_time(BRIDGE_HEAT_STEP_US));
    uint8_t value = actuator_value(actuator, actuator->shown);
    if (!configuration_is_unsigned(&actuator->configuration)) {
        value = (uint8_t)(value * 2);
    }
    actuator->heat += heating(value);
    uint8_t stood = heating(bytes[CONFIGURATION_SUSTAINED]);
    actuator->heat = actuator->heat > stood ? actuator->heat - stood : 0;
    bool was_over = actuator->is_over_budget;
    actuator->is_over_budget = actuator->heat > (uint32_t)bridge_u16(&bytes[CONFIGURATION_BUDGET])
                                                    << 8;
    if (!actuator->is_over_budget || was_over) {
        return false;
    }
    actuator_show_anew(actuator);
    return true;
}
