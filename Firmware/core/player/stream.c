/*
 * The player executes tasks in the order of their times, up to BRIDGE_HORIZON_US ahead of the
 * current time. A rendering step sets `at_us` to the time of one task, and queues at most one write
 * for that time. If an event arrives after writes for later times have been rendered, the player
 * withdraws these writes (forget_later) and renders them again.
 */
#include "stream.h"

#include "../support/compiler.h"
#include "../support/time.h"
#include "stream_output.h"
#include "stream_state.h"

BRIDGE_INLINE void clear(struct stream *stream, uint8_t bits) { stream->pending &= (uint8_t)~bits; }

#define NO_STEP UINT16_MAX

/* Returns the time from `at_us` to the next step of a ramp; NO_STEP if the ramp has ended. */
BRIDGE_NOINLINE static uint16_t step_us(const struct stream *stream, const struct ramp *ramp) {
    uint32_t left_us = ramp->end_us - stream->at_us;
    if (!ramp->is_moving || (int32_t)left_us <= 0) {
        return NO_STEP;
    }
    return left_us < BRIDGE_RAMP_STEP_US ? (uint16_t)left_us : BRIDGE_RAMP_STEP_US;
}

/* Schedules the next step of the ramps. */
static void schedule_step(struct stream *stream) {
    uint16_t next_us = step_us(stream, &stream->level);
#if BRIDGE_HAS_BAND
    uint16_t other_us = step_us(stream, &stream->sharpness);
    next_us = next_us < other_us ? next_us : other_us;
#endif
    if (next_us != NO_STEP) {
        stream->pending |= STREAM_STEP_PENDING;
        stream->due_us[STREAM_TASK_STEP] = stream->at_us + next_us;
    }
}

/* Queues the level of the ramp, unless a tap covers it, and schedules the next step of a ramp. */
static void show_level(struct stream *stream, uint8_t kind) {
    clear(stream, STREAM_STEP_PENDING);
    if (stream_is_pending(stream, STREAM_TAP_END_PENDING)) {
        return;
    }
    uint8_t level = ramp_value(&stream->level, stream->at_us);
    if (stream->state == BRIDGE_STREAM_DRY) {
        level = 0;
    }
    stream_show(stream, level, kind);
    schedule_step(stream);
}

/* Discards the writes that were rendered for times after `at_us`, and the next step of the ramp. */
static void forget_later(struct stream *stream) {
    clear(stream, STREAM_STEP_PENDING);
    stream_take_back(stream, stream->at_us + 1);
}

/* ---- Events ---------------------------------------------------------------------------- */

/* True if the rendering step is executed more than `us` after the time for which it renders. */
static bool is_late(const struct stream *stream, uint16_t us) {
    return bridge_is_before(stream->at_us + us, stream->now_us);
}

/* Marks the newest event as executed, and advances the clock to the tick of that event. */
static void pass_event(struct stream *stream) {
    clear(stream, STREAM_EVENT_PENDING);
    stream->events++;
    tick_clock_move(&stream->clock, stream->decoder.tick);
}

/* Plays the newest event, which is a tap, or skips the tap if it is too late. A late tap has its
   full length, measured from the current time. */
static void play_tap(struct stream *stream) {
    if (stream_is_pending(stream, STREAM_SKIPS_TAPS) || is_late(stream, BRIDGE_TAP_LATE_MAX_US)) {
        stream->notices |= STREAM_TAP_SKIPPED;
        return;
    }
    forget_later(stream);
    const struct event *tap = stream->decoder.event;
    uint8_t level = actuator_share(tap->first, ramp_value(&stream->tap_gain, stream->at_us));
    uint8_t kind = stream_is_pending(stream, STREAM_TAP_END_PENDING) ? BRIDGE_WRITE_TAP_IN_TAP
                                                                     : BRIDGE_WRITE_TAP;
    stream->pending |= STREAM_TAP_END_PENDING | STREAM_MUST_SHOW;
    stream_show(stream, level, kind);
    stream->due_us[STREAM_TASK_TAP_END] =
        bridge_later(stream->at_us, stream->now_us) +
        configuration_tap_us(stream_configuration(stream), (uint8_t)tap->second);
}

/* Executes the newest event. Returns true if the level of the ramp must be written after the
   event. */
static bool execute(struct stream *stream) {
    uint8_t kind = stream->decoder.event->kind;
    pass_event(stream);
    if (kind & EVENT_MOVES_LEVEL || ((kind & EVENT_MOVES_SHARPNESS) && stream_has_band(stream))) {
        forget_later(stream);
        if (kind & EVENT_LASTS) { /* a ramp: later rendering steps compute its times and output its
                                     levels */
            stream->pending |= STREAM_MUST_TIME | STREAM_STEP_PENDING;
            stream->due_us[STREAM_TASK_STEP] = stream->at_us;
        } else {
            ramp_jump(&stream->level, stream->decoder.event->first); /* an END jumps to 0 */
#if BRIDGE_HAS_BAND
            if (kind & EVENT_MOVES_SHARPNESS) {
                ramp_jump(&stream->sharpness, (uint8_t)stream->decoder.event->second);
            }
#endif
        }
        if (kind == EVENT_END) {
            clear(stream, STREAM_JOIN_PENDING);
        } else if (is_late(stream, BRIDGE_LATE_US)) {
            stream->notices |= STREAM_LEVEL_LATE;
            stream->pending |= STREAM_JOIN_PENDING;
            return false;
        }
        return !(kind & EVENT_LASTS);
    }
    if (kind == EVENT_TAP) {
        play_tap(stream);
    } else if (kind == EVENT_TAP_GAIN) {
        stream->pending |= STREAM_MUST_TIME;
    } else if (kind == EVENT_SKIPPED) {
        stream->notices |= STREAM_BAD_EVENT;
    } /* a WAIT, or a sharpness, which has no effect on an actuator without a band */
    return false;
}

/* ---- Rendering ------------------------------------------------------------------------- */

/* True if the newest event is an END, the last event of a segment. */
BRIDGE_INLINE bool has_ended(const struct stream *stream) {
    return stream->decoder.event->kind == EVENT_END;
}

/* If the memory contains the whole next event, decodes the event. Returns false if there was
   nothing to decode. */
static bool fetch(struct stream *stream) {
    if (stream->state == BRIDGE_STREAM_OPEN || has_ended(stream) ||
        !(stream->decoder.copies || event_memory_has_news(&stream->memory))) {
        return false;
    }
    if (event_decoder_next(&stream->decoder, &stream->memory)) {
        stream->pending |= STREAM_EVENT_PENDING | STREAM_MUST_TIME;
        if (stream->state == BRIDGE_STREAM_DRY) {
            stream_enter(stream, BRIDGE_STREAM_PLAYING);
            stream->pending |= STREAM_JOIN_PENDING | STREAM_SKIPS_TAPS;
        }
    }
    return true;
}

static void time_event(struct stream *stream) {
    stream->due_us[STREAM_TASK_EVENT] = tick_clock_due_us(&stream->clock, stream->decoder.tick);
}

/* Starts the ramp of the newest event, which has been executed. */
static void begin_ramp(struct stream *stream) {
    const struct event *event = stream->decoder.event;
    uint32_t end_tick = stream->decoder.tick + event_duration(event);
    uint32_t end_us = tick_clock_due_us(&stream->clock, end_tick);
    struct ramp *ramp = event->kind == EVENT_TAP_GAIN ? &stream->tap_gain : &stream->level;
#if BRIDGE_HAS_BAND
    if (event->kind == EVENT_SHARPNESS_RAMP) {
        ramp = &stream->sharpness;
    }
#endif
    ramp_begin(ramp, event->first, stream->clock.anchor.us, end_us);
}

/* Discards the writes that a REVISE replaces: the writes for later times, or all writes while the
   chips are not ready. */
static void take_back_for_revise(struct stream *stream, uint32_t at_us) {
    stream_take_back(stream, stream_is_ready(stream) ? at_us : at_us - BRIDGE_TIME_SPAN_US);
}

static void revise(struct stream *stream) {
    uint32_t at_us = stream->at_us;
    take_back_for_revise(stream, at_us);
    if (bridge_is_due(stream->due_us[STREAM_TASK_TAP_END], at_us)) {
        clear(stream, STREAM_TAP_END_PENDING);
    }
    stream->revised_us = at_us;
    event_memory_join(&stream->memory);
    stream_begin_segment(stream, stream->revise_level);
    stream->pending |= STREAM_MUST_SHOW;
}

/* Handles a stream that has no further events. If the last event is an END, the stream ends once
   all writes are on the bus; otherwise the stream becomes dry. */
static uint8_t run_out(struct stream *stream) {
    uint32_t now_us = stream->now_us;
    ramp_age(&stream->level, now_us);
    ramp_age(&stream->tap_gain, now_us);
#if BRIDGE_HAS_BAND
    ramp_age(&stream->sharpness, now_us);
#endif
    if (stream->state != BRIDGE_STREAM_PLAYING || stream_is_pending(stream, STREAM_EVENT_PENDING) ||
        bridge_is_before(now_us, stream->clock.anchor.us) ||
        (stream->level.is_moving && bridge_is_before(now_us, stream->level.end_us))) {
        return STREAM_TASK_NONE;
    }
    if (!has_ended(stream)) {
        stream_enter(stream, BRIDGE_STREAM_DRY);
        stream->dry_since_us = now_us;
        stream->notices |= STREAM_UNDERRUN;
        return STREAM_TASK_JOIN;
    }
    if (!stream_is_pending(stream, STREAM_TAP_END_PENDING) && !stream_has_writes(stream)) {
        stream_enter(stream, BRIDGE_STREAM_ENDED);
    }
    return STREAM_TASK_NONE;
}

/* Returns the task that is due first, and sets `at_us` to the time of the task. While a join after
   an underrun is pending, only overdue events precede the join, and they are executed without being
   shown. */
static uint8_t next_task(struct stream *stream) {
    uint8_t next = STREAM_TASK_NONE;
    uint8_t waiting = stream->pending & (STREAM_STEP_PENDING - 1);
    uint32_t before_us = stream->now_us;
    if (!stream_is_pending(stream, STREAM_JOIN_PENDING)) {
        before_us += BRIDGE_HORIZON_US + 1;
        waiting = stream->pending & STREAM_TIMED_TASKS;
    }
    const uint32_t *due_us = stream->due_us;
    for (uint8_t task = 0; waiting; task++, due_us++, waiting >>= 1) {
        if ((waiting & 1) && bridge_is_before(*due_us, before_us)) {
            before_us = *due_us;
            next = task;
        }
    }
    if (stream_is_pending(stream, STREAM_JOIN_PENDING) && next != STREAM_TASK_EVENT) {
        return STREAM_TASK_JOIN;
    }
    if (next != STREAM_TASK_NONE) {
        stream->at_us = before_us;
    }
    return next;
}

/* If a REVISE is due, discards the writes that it replaces, so that the queue has room, and returns
   true. */
static bool make_room_for_revise(struct stream *stream) {
    if (stream_is_pending(stream, STREAM_REVISE_PENDING) &&
        bridge_is_due(stream->due_us[STREAM_TASK_REVISE], stream->now_us)) {
        take_back_for_revise(stream, stream->now_us);
        return true;
    }
    return false;
}

static bool render_any(struct stream *stream, bool must_revise) {
    stream->at_us = stream->now_us;
    uint8_t task = must_revise ? STREAM_TASK_REVISE : next_task(stream);
    if (task == STREAM_TASK_NONE) {
        task = run_out(stream);
    }
    uint8_t kind = BRIDGE_WRITE_LEVEL;
    switch (task) {
    case STREAM_TASK_REVISE:
        revise(stream);
        break;
    case STREAM_TASK_EVENT:
        if (!execute(stream)) {
            return true;
        }
        break;
    case STREAM_TASK_TAP_END:
        clear(stream, STREAM_TAP_END_PENDING);
        stream->pending |= STREAM_MUST_SHOW;
        kind = BRIDGE_WRITE_TAP_END;
        break;
    case STREAM_TASK_STEP:
        break;
    case STREAM_TASK_JOIN:
        stream->pending &= (uint8_t) ~(STREAM_JOIN_PENDING | STREAM_SKIPS_TAPS);
        forget_later(stream);
        break;
    default:
        return false;
    }
    show_level(stream, kind);
    return true;
}

/* A fast path with the same result as execute and show_level: executes a level that is on time, if
   no write has been rendered for a later time. In any other case, returns false and has no
   effect. */
static bool play_level(struct stream *stream) {
    const struct event *event = stream->decoder.event;
    uint32_t due_us = stream->due_us[STREAM_TASK_EVENT];
    if (due_us - stream->now_us + BRIDGE_LATE_US > BRIDGE_HORIZON_US + BRIDGE_LATE_US ||
        stream_goes_beyond(stream, due_us)) {
        return false;
    }
    stream->at_us = due_us;
    pass_event(stream);
    ramp_jump(&stream->level, event->first);
    stream_show(stream, event->first, BRIDGE_WRITE_LEVEL);
    return true;
}

/* Executes one rendering step. An event is read in one step, timed in another and executed in a
   third, so that each step is short. Dense streams consist of levels: while no other task is
   pending, play_level executes a level in the step that has timed it. */
BRIDGE_NOINLINE bool stream_render(struct stream *stream, struct actuator *outputs,
                                   uint32_t now_us) {
    stream = BRIDGE_OPTIMIZER_HIDE(stream);
    stream->outputs = outputs;
    stream->now_us = now_us;
    if (stream->state == BRIDGE_STREAM_CLOSED) {
        return false;
    }
    bool revises = make_room_for_revise(stream);
    if (!stream_has_room(stream)) {
        return false;
    }
    if (!revises) {
        bool must_time = stream_is_pending(stream, STREAM_MUST_TIME);
        if (must_time) {
            clear(stream, STREAM_MUST_TIME);
            if (!stream_is_pending(stream, STREAM_EVENT_PENDING)) {
                begin_ramp(stream);
                return true;
            }
            time_event(stream);
        } else if (!stream_is_pending(stream, STREAM_EVENT_PENDING) && fetch(stream)) {
            return true;
        }
        if ((stream->pending & STREAM_TASKS) == STREAM_EVENT_PENDING &&
            stream->decoder.event->kind == EVENT_LEVEL && play_level(stream)) {
            return true;
        }
        if (must_time) {
            return true;
        }
    }
    return render_any(stream, revises);
}
