/* The states and segments of a stream, for the files of the player. */
#ifndef STREAM_STATE_H
#define STREAM_STATE_H

#include "../support/compiler.h"
#include "stream.h"

static inline void stream_enter(struct stream *stream, uint8_t state) {
    stream->state = state;
    stream->notices |= STREAM_CHANGED;
}

/** `bit` is one of enum stream_pending. */
BRIDGE_INLINE bool stream_is_pending(const struct stream *stream, uint8_t bit) {
    return stream->pending & bit;
}

/** Begins a segment at `at_us`: an initialized decoder, tick 0, full tap gain, and a constant level
    and sharpness. */
void stream_begin_segment(struct stream *stream, uint8_t level);

#endif
