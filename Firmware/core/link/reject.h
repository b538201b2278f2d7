/* Rejections of the message that the receiver holds (SPEC 4.4, REJECT). */
#ifndef BRIDGE_REJECT_H
#define BRIDGE_REJECT_H

#include <stdint.h>

#include "../device.h"

/** Rejects the message. `offset` is the byte of the payload at fault, `limit` the nearest legal
    value, or 0. */
void command_reject(struct bridge *bridge, uint8_t code, uint8_t offset, uint16_t limit);

/** Rejects the message for a reason that no other byte or value would remove. */
void command_refuse(struct bridge *bridge, uint8_t code);

/** Rejects the message for a time or a scale, whose limits have 32 bits. */
void command_reject_wide(struct bridge *bridge, uint8_t code, uint8_t offset, uint32_t limit);

#endif
