/* What the files that carry out commands share. The message itself lies in the receiver. */
#ifndef BRIDGE_COMMAND_H
#define BRIDGE_COMMAND_H

#include <stdint.h>

#include "bridge.h"
#include "bridge_outline.h"
#include "commands.h"
#include "drv2605.h"

#define GAIN_FULL 255

/** The mask of all actuators of the board. */
static inline uint16_t command_all_actuators(const struct bridge *bridge) {
    return (uint16_t)((1u << bridge_actuators(bridge)) - 1);
}

static inline uint8_t command_type(const struct bridge *bridge) { return bridge->receiver.body[0]; }

static inline uint8_t command_sequence(const struct bridge *bridge) {
    return bridge->receiver.body[1];
}

/** The payload, whose size has been checked. */
static inline const uint8_t *command_payload(const struct bridge *bridge) {
    return &bridge->receiver.body[BRIDGE_HEADER_SIZE];
}

/** Now, for the driver. */
static inline uint16_t command_time(const struct bridge *bridge) {
    return drv2605_time(bridge->heard_us);
}

/** Bytes of the payload behind the first `size`. */
static inline uint8_t command_rest(const struct bridge *bridge, uint8_t size) {
    return (uint8_t)(bridge->receiver.length - BRIDGE_HEADER_SIZE - size);
}

/**
 * Says why the message is not carried out: which byte of the payload is at fault, and the nearest
 * legal value or 0.
 */
void command_reject(struct bridge *bridge, uint8_t code, uint8_t offset, uint16_t limit);

/** Likewise, where no byte and no value would be better. */
void command_refuse(struct bridge *bridge, uint8_t code);

/** Likewise, where the nearest legal value is a time or a scale. */
void command_reject_wide(struct bridge *bridge, uint8_t code, uint8_t offset, uint32_t limit);

/** The mask of actuators at a place in the payload; 0, and a rejection, if it is not good. */
uint16_t command_actuators(struct bridge *bridge, uint8_t offset);

/*
 * The messages; now is `heard_us`, when the frame's last byte had arrived. A stream, which is open
 * unless it is to be opened or closed, and an actuator is the one that payload byte 0 names.
 */
void carry_out_open(struct bridge *bridge, const uint8_t *payload, struct stream *stream);
void carry_out_close(struct bridge *bridge, struct stream *stream);
void carry_out_start(struct bridge *bridge, const uint8_t *payload, struct stream *stream,
                     uint32_t now_us);
void carry_out_scale(struct bridge *bridge, const uint8_t *payload, struct stream *stream);
void carry_out_events(struct bridge *bridge, const uint8_t *payload, struct stream *stream);
void carry_out_revise(struct bridge *bridge, const uint8_t *payload, struct stream *stream,
                      uint32_t now_us);

void carry_out_gain(struct bridge *bridge, const uint8_t *payload);
void carry_out_mute(struct bridge *bridge, const uint8_t *payload);
void carry_out_configure(struct bridge *bridge, const uint8_t *payload, struct actuator *actuator);
void carry_out_calibrate(struct bridge *bridge, struct actuator *actuator, bool diagnose);
void carry_out_save(struct bridge *bridge, uint8_t index);
void carry_out_lock(struct bridge *bridge, uint8_t index);
void carry_out_enter_bootloader(struct bridge *bridge);

#endif
