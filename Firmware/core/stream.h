/*
 * A stream and its player (SPEC 6): events and a clock in, timed writes out. It renders a little
 * ahead of time and knows nothing of frames or buses.
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

/** What happened that somebody must be told of; collected by the bridge after each step. */
enum stream_notice {
    STREAM_UNDERRUN = BRIDGE_FAULT_UNDERRUN,
    STREAM_LEVEL_LATE = BRIDGE_FAULT_LATE, /**< a level was joined after its time */
    STREAM_TAP_SKIPPED = BRIDGE_FAULT_TAP_SKIPPED,
    STREAM_BAD_EVENT = BRIDGE_FAULT_EVENT >> 8,
    STREAM_CHANGED = 0x80,
};

/** The faults among notices. */
static inline uint16_t stream_faults(uint8_t notices) {
    return (uint16_t)((notices & (STREAM_UNDERRUN | STREAM_LEVEL_LATE | STREAM_TAP_SKIPPED)) |
                      (notices & STREAM_BAD_EVENT) << 8);
}

/** What a stream does at a time. At equal times, what stands first here comes first. */
enum stream_task {
    TASK_REVISE,
    TASK_EVENT, /**< the newest decoded is due */
    TASK_TAP_END,
    TASK_STEP, /**< of the level ramp; a tap lies over it */
    TASK_COUNT,
    /** Show the level as it is now, whatever had been rendered; it waits while overdue events are
        taken in silence. */
    TASK_JOIN = TASK_COUNT,
    TASK_NONE,
};

/** What else `waiting` has a bit for. */
enum stream_flag {
    IS_SKIPPING = TASK_NONE, /**< after an underrun: overdue taps are skipped until the join */
    MUST_TIME, /**< when the newest event is due, or its ramp ends, is not known yet */
    MUST_SHOW, /**< what was rendered has changed: the next level is written anyway */
};

#define STREAM_WAITS(task) (1u << (task))
#define STREAM_TASKS (STREAM_WAITS(TASK_NONE) - 1)

/** What is used most comes first. */
struct stream {
    uint8_t state; /**< enum bridge_stream_state */
    uint8_t generation;
    uint8_t notices;
    uint8_t shown; /**< level of the newest write rendered */
    uint8_t revise_level;
    uint8_t waiting; /**< STREAM_WAITS for each task that waits, and each flag that is set */
    uint32_t due_us[TASK_COUNT]; /**< of the tasks that wait */
    uint32_t now_us;             /**< when the step of rendering is made */
    uint32_t at_us;              /**< and what time it renders */
    struct actuator *outputs;    /**< all actuators, of which it plays on some */
    uint16_t actuators;          /**< mask; 0: closed */
    uint16_t events;             /**< executed, modulo 65,536 */
    struct ramp level;
    struct event_decoder decoder;
    uint32_t start_us;
    uint32_t revised_us;     /**< when the last REVISE took effect */
    struct tick_clock clock; /**< stands at the newest executed event */
    struct event_memory memory;
    uint16_t limit_told;
    struct ramp tap_gain;
    struct bridge_writes writes;
};

/** A stream in state OPEN with event memory of its own; before the first time it is all zeros. */
void stream_open(struct stream *stream, uint16_t actuators, uint8_t *bytes, uint16_t capacity);

/** Back to CLOSED. What it has rendered is the caller's to drop. */
void stream_close(struct stream *stream);

/** Anchors tick 0 at `time_us` and begins to play; `scale` is 8.24 us per tick. */
void stream_start(struct stream *stream, uint32_t time_us, uint32_t scale);

/** True if the stream has been dry for BRIDGE_DRY_MAX_US: it is to be closed (SPEC 6). */
bool stream_is_given_up(const struct stream *stream, uint32_t now_us);

/** SPEC 5, SCALE. */
void stream_set_scale(struct stream *stream, uint32_t tick, uint32_t scale);

/** SPEC 6, REVISE; the caller has checked generation and room, and appends the bytes after. */
void stream_revise(struct stream *stream, uint32_t time_us, uint8_t level);

/** Makes anew what was rendered ahead for the registers: gain, mute or budget have changed. */
void stream_show_anew(struct stream *stream);

/** One step of rendering: at most one event, step or change of state. True if there may be more. */
bool stream_render(struct stream *stream, struct actuator *outputs, uint32_t now_us);

#endif
