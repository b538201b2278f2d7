/* The output of a stream: the functions that queue writes for the time `at_us` and withdraw writes.
   This interface is private to the player. */
#ifndef BRIDGE_STREAM_OUTPUT_H
#define BRIDGE_STREAM_OUTPUT_H

#include <stdint.h>

#include "stream.h"

/** Returns the configuration whose tap lengths a stream uses: the configuration of the stream's
    first actuator. */
const struct configuration *stream_configuration(const struct stream *stream);

/** True if at least one actuator of the stream has a band. */
bool stream_has_band(const struct stream *stream);

/** True if the chips of all actuators of the stream accept levels. */
bool stream_is_ready(const struct stream *stream);

/** True if the queue has room for the writes of any single event. */
bool stream_has_room(const struct stream *stream);

/** True if at least one rendered write is not on the bus yet. */
bool stream_has_writes(const struct stream *stream);

/** Queues a write of a level for all actuators of the stream, unless they already output that
   level with the same frequency. If the newest event is a tap, the event determines the frequency;
   otherwise, the sharpness ramp determines it. `kind` is an enum bridge_write_kind. */
void stream_show(struct stream *stream, uint8_t level, uint8_t kind);

/** True if a write for a time after `us` is queued. */
bool stream_goes_beyond(struct stream *stream, uint32_t us);

/** Discards the writes that were rendered for `from_us` and later. The end of a tap that is playing
    at that time stays scheduled. */
void stream_take_back(struct stream *stream, uint32_t from_us);

#endif
