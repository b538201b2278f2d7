/*
 * A stream and its player (SPEC 6): events and a clock in, timed writes out. It renders a little
 * ahead of time into the ring and knows nothing of frames or buses.
 */
#ifndef BRIDGE_STREAM_PLAYER_H
#define BRIDGE_STREAM_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"
#include "event_decoder.h"
#include "event_memory.h"
#include "ramp.h"
#include "tick_clock.h"
#include "writes.h"

/** What happened that somebody must be told of; collected by the bridge. */
enum stream_notice {
    STREAM_CHANGED = 1,
    STREAM_UNDERRUN = 2,
    STREAM_BAD_EVENT = 4,
};

struct stream {
    struct event_memory memory;
    struct event next; /**< decoded, not executed yet, while `has_next` */
    struct ramp level;
    struct ramp tap_gain;
    struct tick_clock clock;
    uint32_t start_us;
    uint32_t newest_us;   /**< due time of the newest executed event */
    uint32_t newest_tick; /**< its tick */
    uint32_t step_us;     /**< next step of the level ramp, while `is_ramping` */
    uint32_t tap_end_us;
    uint32_t end_us;     /**< the stream ends, while `is_ending` */
    uint32_t skip_us;    /**< after an underrun: taps due before this are skipped */
    uint32_t revise_us;  /**< when the waiting REVISE takes effect */
    uint32_t revised_us; /**< when the last one did */
    uint32_t revised_position;
    uint16_t actuators; /**< mask; 0: closed */
    uint16_t events;    /**< executed, modulo 65,536 */
    uint16_t limit_told;
    uint16_t skipped_taps; /**< since the bridge last collected them */
    uint16_t late_levels;  /**< likewise: levels joined after their time */
    uint8_t state;         /**< enum bridge_stream_state */
    uint8_t generation;
    uint8_t revise_level;
    uint8_t shown; /**< level of the newest write rendered */
    uint8_t notices;
    bool has_next;
    bool is_ramping;
    bool in_tap;
    bool in_effect;
    bool is_ending;
    bool is_joining; /**< overdue events were taken in silence: show the level when done */
    bool is_skipping;
    struct event_decoder decoder;
    bool must_show; /**< rendered writes were taken back: the next level is written anyway */
};

/** Where a stream writes, and for whom. */
struct stream_output {
    struct bridge_writes *writes;
    struct actuator *actuators;
};

/** A stream in state OPEN with event memory of its own. */
void stream_open(struct stream *stream, uint16_t actuators, uint8_t *bytes, uint16_t capacity);

/** Back to CLOSED. What it has rendered is the caller's to drop. */
void stream_close(struct stream *stream);

/** Anchors tick 0 at `time_us` and begins to play; `scale` is 8.24 us per tick. */
void stream_start(struct stream *stream, uint32_t time_us, uint32_t scale);

/** SPEC 5, SCALE. */
void stream_set_scale(struct stream *stream, uint32_t tick, uint32_t scale);

/** SPEC 6, REVISE; the caller has checked generation and room, and appends the bytes after. */
void stream_revise(struct stream *stream, uint32_t time_us, uint8_t level);

/** One step of rendering: at most one event, step or change of state. True if there may be more. */
bool stream_render(struct stream *stream, const struct stream_output *output, uint32_t now_us);

#endif
