/* The handling of the message that starts a recording: RECORD (SPEC 4.4, 11). */
#ifndef BRIDGE_SENSOR_COMMANDS_H
#define BRIDGE_SENSOR_COMMANDS_H

#include <stdint.h>

#include "../device.h"

#if BRIDGE_SENSOR
void handle_record(struct bridge *bridge, const uint8_t *payload);
#endif

#endif
