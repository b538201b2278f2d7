/* What the messages of SPEC 4.2 to 4.5 do. */
#ifndef BRIDGE_COMMANDS_H
#define BRIDGE_COMMANDS_H

#include <stdint.h>

#include "bridge.h"

/** Carries out the frame that the receiver holds, its CRC being right. */
void commands_dispatch(struct bridge *bridge, uint32_t stamp_us);

/** Takes over the configuration that the receiver holds, which has been checked. */
void commands_configure(struct bridge *bridge);

/** Closes every stream that has one of the actuators in `mask`: what it rendered is dropped, its
    actuators come to rest. */
void commands_close_streams(struct bridge *bridge, uint16_t mask);

/** Writes anew what some actuators show and what was rendered ahead for them: gain, mute or budget
    have changed. */
void commands_show_anew(struct bridge *bridge, uint16_t mask);

/** Closes all streams and brings every actuator to rest: STOP, a new session, the dead-man. */
void commands_rest_all(struct bridge *bridge);

#endif
