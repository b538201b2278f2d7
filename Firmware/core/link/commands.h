/* The handling of messages from the host: dispatch, STOP, HELLO and queries (SPEC 4.2 to 4.5). */
#ifndef BRIDGE_COMMANDS_H
#define BRIDGE_COMMANDS_H

#include <stdint.h>

#include "../device.h"

/** Handles the frame that the receiver holds. The CRC of the frame must be correct. */
void commands_dispatch(struct bridge *bridge, uint32_t stamp_us);

/** Closes all streams and brings every actuator to rest: for STOP, a new session, and the dead-man
    stop. */
void commands_rest_all(struct bridge *bridge);

#endif
