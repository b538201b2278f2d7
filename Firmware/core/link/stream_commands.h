/* Messages about streams: OPEN to REVISE (SPEC 4.4, 6). Now is the time of the frame. The stream is
   the one that payload byte 0 names; it is open, except for OPEN and CLOSE. */
#ifndef BRIDGE_STREAM_COMMANDS_H
#define BRIDGE_STREAM_COMMANDS_H

#include <stdint.h>

#include "../device.h"

/** Closes every stream that plays on one of the actuators in `mask`: its rendered writes are
   dropped and its actuators come to rest. */
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
