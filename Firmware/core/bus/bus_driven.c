/* Records the values that chips drive because of untimed transfers, for the thermal budget. */
#include "bus_schedule.h"

/* Records the value that a chip begins to drive because of an untimed transfer. An interrupt cannot
   record a value at the same time, because either the chip does not accept levels, or the bus is
   busy. */
BRIDGE_NOINLINE static void drive(struct actuator *actuator, uint8_t value, uint32_t now_us) {
    actuator_drive(actuator, value, (driven_time)now_us);
}

BRIDGE_NOINLINE void bus_schedule_record_set_up(struct actuator *actuator, uint32_t now_us) {
    if (actuator->state != BRIDGE_ACTUATOR_STARTING) {
        return;
    }
    drive(actuator, driver_is_unquieted(actuator) ? UINT8_MAX : 0, now_us);
}

void bus_schedule_record_untimed(struct bridge *bridge, struct actuator *actuator,
                                 uint32_t now_us) {
    const struct bridge_transfer *transfer = &bridge->transfer;
#if BRIDGE_ACTUATOR_COUNT > 1
    bridge->bus_led = transfer->actuators;
#endif
    if (driver_drives_by_itself(actuator)) {
        drive(actuator, driver_full_value(&actuator->configuration), now_us);
    } else if (driver_sets_level(transfer)) {
        if (bridge_actuators(bridge) > 1 && transfer->value < actuator->driven) {
            now_us += bridge_bus_is_slow(bridge) ? BRIDGE_SWITCH_CHECKED_SLOW_US
                                                 : BRIDGE_SWITCH_CHECKED_US;
        }
        drive(actuator, transfer->value, now_us);
    }
}
