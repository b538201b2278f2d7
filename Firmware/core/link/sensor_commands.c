#include "sensor_commands.h"

#if BRIDGE_SENSOR

#include "../support/bytes.h"
#include "reject.h"

void handle_record(struct bridge *bridge, const uint8_t *payload) {
    struct sensor *sensor = &bridge->sensor;
    uint16_t blocks = bridge_u16(&payload[2]);
    if (!sensor->kind) {
        command_refuse(bridge, BRIDGE_REJECT_UNSUPPORTED);
    } else if (!blocks) {
        sensor_end(sensor);
    } else if (payload[0] > BRIDGE_AXIS_Z) {
        command_reject(bridge, BRIDGE_REJECT_RANGE, 0, BRIDGE_AXIS_Z);
    } else if (payload[1] > BRIDGE_TRIGGER_STREAM) {
        command_reject(bridge, BRIDGE_REJECT_RANGE, 1, BRIDGE_TRIGGER_STREAM);
    } else if (sensor_is_busy(sensor)) {
        command_refuse(bridge, BRIDGE_REJECT_IN_USE);
    } else {
        sensor_record(sensor, payload[0], payload[1], blocks);
    }
}

#endif
