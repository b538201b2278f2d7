/*
 * What a stream gives its actuators to write, and takes back. Private to the player: stream.c
 * decides when: at `at_us`.
 */
#ifndef BRIDGE_STREAM_WRITES_H
#define BRIDGE_STREAM_WRITES_H

#include <stdint.h>

#include "stream.h"

/** The configuration that a stream goes by: that of its lowest actuator. */
const struct configuration *stream_configuration(const struct stream *stream);

/** Whether the chips of all its actuators take levels. */
bool stream_is_heard(const struct stream *stream);

/** Whether there is room for the write of any one event. */
bool stream_has_room(const struct stream *stream);

/** Whether something that was rendered is not on the bus yet. */
bool stream_has_writes(const struct stream *stream);

/** A level for each actuator of the stream, unless it shows already. `kind`: enum write_kind. */
void stream_show(struct stream *stream, uint8_t level, uint8_t kind);

/** False if nothing that was rendered for later than `us` waits. */
bool stream_goes_beyond(struct stream *stream, uint32_t us);

/** Takes back what was rendered for `from_us` and later. A tap that sounds then sounds on. */
void stream_take_back(struct stream *stream, uint32_t from_us);

#endif
