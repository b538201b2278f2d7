/*
 * The states of a stream. The functions in this file open, start, revise and close a stream. The
 * player (stream.c) renders its events.
 */
#include "stream_state.h"

#include <stddef.h>

#include "../support/time.h"

#define FULL 255

_Static_assert(offsetof(struct stream, dry_since_us) ==
                   offsetof(struct stream, due_us[STREAM_TASK_EVENT]),
               "dry_since_us must share the memory of the event's time");

/* stream_open clears all fields except the queue, which it empties, and the decoder, which
   begin_segment initializes. SCALE may read the decoder's tick before begin_segment is called. */
#define SIZE_OF(field) sizeof(((struct stream *)0)->field)
_Static_assert(
    offsetof(struct event_decoder, event) == SIZE_OF(decoder.tick) &&
        offsetof(struct stream, start_us) == offsetof(struct stream, decoder) + SIZE_OF(decoder) &&
        offsetof(struct stream, writes) + SIZE_OF(writes) + _Alignof(struct stream) >
            sizeof(struct stream),
    "the tick must be the decoder's first field, start_us must follow the decoder, and the "
    "queue must be the last field");

void stream_open(struct stream *stream, uint16_t actuators, uint8_t *bytes, uint16_t capacity) {
    write_queue_clear(&stream->writes); /* set first, because an interrupt may read both */
    __builtin_memset(stream, 0, offsetof(struct stream, decoder.event));
    __builtin_memset(&stream->start_us, 0,
                     offsetof(struct stream, writes) - offsetof(struct stream, start_us));
    stream->state = BRIDGE_STREAM_OPEN;
    stream->actuators = actuators;
    stream->limit_sent = capacity;
    stream->clock.scale = (uint32_t)BRIDGE_TICK_US << BRIDGE_SCALE_FRACTION_BITS;
    event_memory_init(&stream->memory, bytes, capacity);
}

void stream_close(struct stream *stream) {
    stream->actuators = 0;
    stream_enter(stream, BRIDGE_STREAM_CLOSED);
}

BRIDGE_NOINLINE void stream_begin_segment(struct stream *stream, uint8_t level) {
    event_decoder_init(&stream->decoder);
    tick_clock_anchor(&stream->clock, stream->at_us);
    ramp_jump(&stream->level, level);
#if BRIDGE_HAS_BAND
    ramp_jump(&stream->sharpness, stream->revise_sharpness);
#endif
    ramp_jump(&stream->tap_gain, FULL);
    stream->pending &= STREAM_TAP_END_PENDING | STREAM_MUST_SHOW;
    stream_enter(stream, BRIDGE_STREAM_PLAYING);
}

void stream_start(struct stream *stream, uint32_t time_us, uint32_t scale) {
    stream->clock.scale = scale;
    stream->start_us = time_us;
    stream->at_us = time_us;
    stream_begin_segment(stream, 0);
}

void stream_set_scale(struct stream *stream, uint32_t tick, uint32_t scale) {
    tick_clock_set_scale(&stream->clock, tick, scale);
    if (stream_is_pending(stream, STREAM_EVENT_PENDING)) {
        stream->pending |= STREAM_MUST_TIME;
    }
}

void stream_revise(struct stream *stream, uint32_t time_us, uint8_t level, uint8_t sharpness) {
    event_memory_split(&stream->memory);
    stream->limit_sent = stream->memory.limit;
    stream->generation++;
    stream->pending |= STREAM_REVISE_PENDING;
    stream->due_us[STREAM_TASK_REVISE] = time_us;
    stream->revise_level = level;
#if BRIDGE_HAS_BAND
    stream->revise_sharpness = sharpness;
#else
    (void)sharpness;
#endif
}

bool stream_is_given_up(const struct stream *stream, uint32_t now_us) {
    return stream->state == BRIDGE_STREAM_DRY && !stream->memory.is_split &&
           now_us - stream->dry_since_us >= BRIDGE_DRY_MAX_US;
}
