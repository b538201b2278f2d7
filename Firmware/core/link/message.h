/* Access to the message that the receiver holds, for the files that handle messages. */
#ifndef BRIDGE_MESSAGE_H
#define BRIDGE_MESSAGE_H

#include <stdint.h>

#include "../device.h"
#include "../support/time.h"

/** Returns the type of the message. */
static inline uint8_t message_type(const struct bridge *bridge) { return bridge->receiver.body[0]; }

/** Returns the sequence byte of the message. */
static inline uint8_t message_sequence(const struct bridge *bridge) {
    return bridge->receiver.body[1];
}

/** Returns the payload of the message, whose minimum size has been checked. */
static inline const uint8_t *message_payload(const struct bridge *bridge) {
    return &bridge->receiver.body[BRIDGE_HEADER_SIZE];
}

/** Returns the number of bytes of the payload that follow the first `size` bytes. */
static inline uint8_t message_rest(const struct bridge *bridge, uint8_t size) {
    return (uint8_t)(bridge->receiver.length - BRIDGE_HEADER_SIZE - size);
}

/** Returns the time of the newest valid frame, in the driver's counts. */
static inline uint16_t message_time(const struct bridge *bridge) {
    return bridge_time_counts(bridge->last_valid_frame_us);
}

#endif
