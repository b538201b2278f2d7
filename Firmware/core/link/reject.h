/* Rejections of the message that the receiver holds (SPEC 4.4, REJECT). */
#ifndef BRIDGE_REJECT_H
#define BRIDGE_REJECT_H

#include <stdint.h>

#include "../device.h"

/** Rejects the message. `offset` is the offset of the faulty byte in the payload, and `limit` is
    the nearest legal value, or 0 if no value is legal. */
void command_reject(struct bridge *bridge, uint8_t code, uint8_t offset, uint16_t limit);

/** Rejects the message for a reason that does not depend on a byte of its payload. */
void command_refuse(struct bridge *bridge, uint8_t code);

/** Rejects the message because of a time or a scale, whose limits have 32 bits. */
void command_reject_wide(struct bridge *bridge, uint8_t code, uint8_t offset, uint32_t limit);

#endif
