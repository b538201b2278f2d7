/* Messages about streams: OPEN to REVISE (SPEC 4.4, 6). `now_us` is the time of the frame. Byte 0
   of the payload is the number of the stream. The stream must be open, except for OPEN and
   CLOSE. */
#ifndef BRIDGE_STREAM_COMMANDS_H
#define BRIDGE_STREAM_COMMANDS_H

#include <stdint.h>

#include "../device.h"

/** Closes every stream that plays on an actuator in `mask`, discards the queued writes of these
    streams, and brings their actuators to rest. */
void commands_close_streams(struct bridge *bridge, uint16_t mask);

void handle_open(struct bridge *bridge, const uint8_t *payload, struct stream *stream);
void handle_close(struct bridge *bridge, struct stream *stream);
void handle_start(struct bridge *bridge, const uint8_t *payload, struct stream *stream,
                  uint32_t now_us);
void handle_scale(struct bridge *bridge, const uint8_t *payload, struct stream *stream);
void handle_events(struct bridge *bridge, const uint8_t *payload, struct stream *stream);
void handle_revise(struct bridge *bridge, const uint8_t *payload, struct stream *stream,
                   uint32_t now_us);

#endif
