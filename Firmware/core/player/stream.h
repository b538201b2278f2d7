/*
 * A stream and its player (SPEC 6). The player converts events to timed writes, slightly ahead of
 * time. The player is independent of frames and of the bus.
 */
#ifndef BRIDGE_STREAM_PLAYER_H
#define BRIDGE_STREAM_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "../actuator/actuator.h"
#include "event_decoder.h"
#include "event_memory.h"
#include "ramp.h"
#include "tick_clock.h"
#include "write_queue.h"

/** Conditions of a stream that must be reported. The bridge collects these notices after each
    step. */
enum stream_notice {
    STREAM_UNDERRUN = BRIDGE_FAULT_UNDERRUN,
    STREAM_LEVEL_LATE = BRIDGE_FAULT_LATE, /**< a level was joined after its due time */
    STREAM_TAP_SKIPPED = BRIDGE_FAULT_TAP_SKIPPED,
    STREAM_BAD_EVENT = BRIDGE_FAULT_EVENT >> 8,
    STREAM_CHANGED = 0x80,
};

/** Returns the fault bits of STATUS that correspond to notices. */
static inline uint16_t stream_faults(uint8_t notices) {
    return (uint16_t)((notices & (STREAM_UNDERRUN | STREAM_LEVEL_LATE | STREAM_TAP_SKIPPED)) |
                      (notices & STREAM_BAD_EVENT) << 8);
}

/** The tasks of a stream, each with its due time. If several tasks are due at the same time, the
    first in this order takes precedence. */
enum stream_task {
    STREAM_TASK_REVISE,
    STREAM_TASK_EVENT, /**< the newest event is due */
    STREAM_TASK_TAP_END,
    STREAM_TASK_STEP, /**< a step of a ramp; hidden during a tap */
    STREAM_TASK_COUNT,
    /** The task that shows the current level instead of the rendered writes, after overdue events
       have been executed without being shown. */
    STREAM_TASK_JOIN = STREAM_TASK_COUNT,
    STREAM_TASK_NONE,
};

/** Bits of `pending`: the pending tasks, and the conditions of the player. */
enum stream_pending {
    STREAM_REVISE_PENDING = 1 << STREAM_TASK_REVISE,
    STREAM_EVENT_PENDING = 1 << STREAM_TASK_EVENT,
    STREAM_TAP_END_PENDING = 1 << STREAM_TASK_TAP_END,
    STREAM_STEP_PENDING = 1 << STREAM_TASK_STEP,
    STREAM_JOIN_PENDING = 1 << STREAM_TASK_JOIN,

    /** After an underrun, overdue taps are skipped until the level has been joined. */
    STREAM_SKIPS_TAPS = 1 << STREAM_TASK_NONE,
    /** The time of the newest event, or the end of its ramp, has not been computed yet. */
    STREAM_MUST_TIME = STREAM_SKIPS_TAPS << 1,
    /** Rendered writes have changed, so the next level is written even if it is already shown. */
    STREAM_MUST_SHOW = STREAM_SKIPS_TAPS << 2,

    /** The tasks that have a time. */
    STREAM_TIMED_TASKS = STREAM_JOIN_PENDING - 1,
    STREAM_TASKS = STREAM_SKIPS_TAPS - 1,
};

/** A stream. Its most frequently used fields are declared first. */
struct stream {
    uint8_t state; /**< enum bridge_stream_state */
    uint8_t generation;
    uint8_t notices;
    uint8_t shown; /**< the level of the newest rendered write */
    uint8_t revise_level;
#if BRIDGE_HAS_BAND
    uint8_t revise_sharpness;
    uint8_t tone; /**< the tone of the newest write that has a tone, as in struct bridge_write */
#endif
    uint8_t pending; /**< bits of enum stream_pending */
    union {
        uint32_t due_us[STREAM_TASK_COUNT]; /**< times of the pending tasks */
        struct {
            uint32_t revise_due_us;
            uint32_t dry_since_us; /**< the time of the underrun, stored instead of the time of the
                                      event, because a dry stream has no pending event */
        };
    };
    uint32_t now_us;          /**< the time at which the rendering step is executed */
    uint32_t at_us;           /**< the time for which the rendering step renders */
    struct actuator *outputs; /**< all actuators of the board */
    uint16_t actuators;       /**< mask of the actuators on which the stream plays; 0: closed */
    uint16_t events;          /**< number of executed events, modulo 65,536 */
    struct ramp level;
    struct event_decoder decoder;
    uint32_t start_us;
    uint32_t revised_us; /**< time at which the last REVISE took effect */
    struct tick_clock
        clock; /**< the current tick of this clock is the tick of the newest executed event */
    struct event_memory memory;
    uint16_t limit_sent;
    struct ramp tap_gain;
#if BRIDGE_HAS_BAND
    struct ramp sharpness; /**< changes only if an actuator has a band */
#endif
    struct bridge_write_queue writes;
};

/** Opens a stream with its own event memory. Before the first call, the struct must be all
    zeros. */
void stream_open(struct stream *stream, uint16_t actuators, uint8_t *bytes, uint16_t capacity);

/** Closes a stream. The caller must discard the queued writes of the stream. */
void stream_close(struct stream *stream);

/** Anchors tick 0 at `time_us` and begins to play; `scale` is the number of microseconds per tick
    in 8.24 fixed point. */
void stream_start(struct stream *stream, uint32_t time_us, uint32_t scale);

/** True if the stream has been dry for BRIDGE_DRY_MAX_US, so it must be closed (SPEC 6). */
bool stream_is_given_up(const struct stream *stream, uint32_t now_us);

/** Sets the duration of ticks from a tick on (SPEC 5, SCALE). */
void stream_set_scale(struct stream *stream, uint32_t tick, uint32_t scale);

/** Starts a new generation that takes effect at `time_us` (SPEC 6, REVISE). The caller has checked
    the number of the generation and the room for its bytes, and appends these bytes afterwards. */
void stream_revise(struct stream *stream, uint32_t time_us, uint8_t level, uint8_t sharpness);

/** Recomputes the values of queued writes, for a new gain, mute or budget. */
void stream_remake_writes(struct stream *stream);

/** Executes one rendering step: at most one event, one step of the ramp, or one change of state.
    Returns true if there may be more work. */
bool stream_render(struct stream *stream, struct actuator *outputs, uint32_t now_us);

#endif
