#include "stream.h"

#include <stddef.h>

#include "bridge_outline.h"
#include "bridge_time.h"
#include "stream_writes.h"

#define FULL 255

/* ---- States ---------------------------------------------------------------------------- */

static void enter(struct stream *stream, uint8_t state) {
    stream->state = state;
    stream->notices |= STREAM_CHANGED;
}

/* The decoder begins with a segment, but for its tick, which SCALE may ask for before. */
void stream_open(struct stream *stream, uint16_t actuators, uint8_t *bytes, uint16_t capacity) {
    stream = BRIDGE_HELD(stream);
    writes_clear(&stream->writes); /* before its actuators: an interrupt may look at both */
    __builtin_memset(stream, 0, offsetof(struct stream, decoder.event));
    __builtin_memset(&stream->start_us, 0,
                     offsetof(struct stream, writes) - offsetof(struct stream, start_us));
    stream->state = BRIDGE_STREAM_OPEN;
    stream->actuators = actuators;
    stream->limit_told = capacity;
    stream->clock.scale = (uint32_t)BRIDGE_TICK_US << BRIDGE_SCALE_FRACTION_BITS;
    event_memory_init(&stream->memory, bytes, capacity);
}

void stream_close(struct stream *stream) {
    stream->actuators = 0;
    enter(stream, BRIDGE_STREAM_CLOSED);
}

BRIDGE_INLINE bool waits(const struct stream *stream, uint8_t task) {
    return stream->waiting & STREAM_WAITS(task);
}

BRIDGE_INLINE void forget(struct stream *stream, uint8_t task) {
    stream->waiting &= (uint8_t)~STREAM_WAITS(task);
}

/* Every segment begins alike, at `at_us`: fresh decoder, tick 0, tap gain full, a level that holds.
 */
BRIDGE_OUTLINE static void begin_segment(struct stream *stream, uint8_t level) {
    stream = BRIDGE_HELD(stream);
    event_decoder_init(&stream->decoder);
    tick_clock_anchor(&stream->clock, stream->at_us);
    ramp_jump(&stream->level, level);
    ramp_jump(&stream->tap_gain, FULL);
    stream->waiting &= STREAM_WAITS(TASK_TAP_END) | STREAM_WAITS(MUST_SHOW);
    enter(stream, BRIDGE_STREAM_PLAYING);
}

void stream_start(struct stream *stream, uint32_t time_us, uint32_t scale) {
    stream->clock.scale = scale;
    stream->start_us = time_us;
    stream->at_us = time_us;
    begin_segment(stream, 0);
}

void stream_set_scale(struct stream *stream, uint32_t tick, uint32_t scale) {
    tick_clock_set_scale(&stream->clock, tick, scale);
    if (waits(stream, TASK_EVENT)) {
        stream->waiting |= STREAM_WAITS(MUST_TIME);
    }
}

void stream_revise(struct stream *stream, uint32_t time_us, uint8_t level) {
    event_memory_split(&stream->memory);
    stream->limit_told = stream->memory.limit;
    stream->generation++;
    stream->waiting |= STREAM_WAITS(TASK_REVISE);
    stream->due_us[TASK_REVISE] = time_us;
    stream->revise_level = level;
}

/* Shows the level ramp, unless a tap lies over it, and goes on with it from there. */
static void show_level(struct stream *stream, uint8_t kind) {
    stream = BRIDGE_HELD(stream);
    forget(stream, TASK_STEP);
    if (waits(stream, TASK_TAP_END)) {
        return;
    }
    uint8_t level = ramp_value(&stream->level, stream->at_us);
    if (stream->state == BRIDGE_STREAM_DRY) {
        level = 0;
    }
    stream_show(stream, level, kind);
    if (stream->level.is_moving) {
        uint32_t left_us = stream->level.end_us - stream->at_us;
        if ((int32_t)left_us > 0) {
            stream->waiting |= STREAM_WAITS(TASK_STEP);
        }
        if (left_us > BRIDGE_RAMP_STEP_US) {
            left_us = BRIDGE_RAMP_STEP_US;
        }
        stream->due_us[TASK_STEP] = stream->at_us + left_us;
    }
}

/* Nothing is known of the time after `at_us`: not what was rendered, not how the level goes on. */
BRIDGE_OUTLINE static void forget_later(struct stream *stream) {
    stream = BRIDGE_HELD(stream);
    forget(stream, TASK_STEP);
    stream_take_back(stream, stream->at_us + 1);
}

/* ---- Events ---------------------------------------------------------------------------- */

/* True if the step is made later than `us` after the time that it renders. */
BRIDGE_OUTLINE static bool is_late(const struct stream *stream, uint16_t us) {
    stream = BRIDGE_HELD(stream);
    return bridge_is_before(stream->at_us + us, stream->now_us);
}

/* The newest event no longer waits; the clock moves on to it. */
BRIDGE_OUTLINE static void pass_event(struct stream *stream) {
    stream = BRIDGE_HELD(stream);
    forget(stream, TASK_EVENT);
    stream->events++;
    tick_clock_move(&stream->clock, stream->decoder.tick);
}

/* A tap is not made up for later. */
static void play_tap(struct stream *stream) {
    stream = BRIDGE_HELD(stream);
    if (waits(stream, IS_SKIPPING) || is_late(stream, BRIDGE_TAP_LATE_MAX_US)) {
        stream->notices |= STREAM_TAP_SKIPPED;
        return;
    }
    forget_later(stream);
    const struct event *tap = stream->decoder.event;
    uint8_t level = actuator_share(tap->first, ramp_value(&stream->tap_gain, stream->at_us));
    uint8_t kind = waits(stream, TASK_TAP_END) ? WRITE_TAP_IN_TAP : WRITE_TAP;
    stream->waiting |= STREAM_WAITS(TASK_TAP_END) | STREAM_WAITS(MUST_SHOW);
    stream_show(stream, level, kind);
    stream->due_us[TASK_TAP_END] =
        bridge_later(stream->at_us, stream->now_us) +
        configuration_tap_us(stream_configuration(stream), (uint8_t)tap->second);
}

/* True if the level ramp is to be shown after it. */
static bool execute(struct stream *stream) {
    uint8_t kind = stream->decoder.event->kind;
    pass_event(stream);
    if (kind & EVENT_MOVES_LEVEL) {
        forget_later(stream);
        if (kind & EVENT_LASTS) { /* when it ends, and what it shows, are steps of their own */
            stream->waiting |= STREAM_WAITS(MUST_TIME) | STREAM_WAITS(TASK_STEP);
            stream->due_us[TASK_STEP] = stream->at_us;
        } else {
            ramp_jump(&stream->level, stream->decoder.event->first); /* an END to 0 */
        }
        if (kind == EVENT_END) {
            forget(stream, TASK_JOIN);
        } else if (is_late(stream, BRIDGE_LATE_US)) {
            stream->notices |= STREAM_LEVEL_LATE;
            stream->waiting |= STREAM_WAITS(TASK_JOIN);
            return false;
        }
        return !(kind & EVENT_LASTS);
    }
    if (kind == EVENT_TAP) {
        play_tap(stream);
    } else if (kind == EVENT_TAP_GAIN) {
        stream->waiting |= STREAM_WAITS(MUST_TIME);
    } else if (kind == EVENT_SKIPPED) {
        stream->notices |= STREAM_BAD_EVENT;
    } /* else a wait, or a sharpness: nothing to show on a chip locked to resonance */
    return false;
}

/* ---- Rendering ------------------------------------------------------------------------- */

/* An END is the last event that a segment has. */
BRIDGE_INLINE bool has_ended(const struct stream *stream) {
    return stream->decoder.event->kind == EVENT_END;
}

/* Decodes the next event, if memory holds all of it; false if it can not. */
BRIDGE_OUTLINE static bool fetch(struct stream *stream) {
    stream = BRIDGE_HELD(stream);
    if (stream->state == BRIDGE_STREAM_OPEN || has_ended(stream) ||
        !(stream->decoder.copies || event_memory_has_news(&stream->memory))) {
        return false;
    }
    if (event_decoder_next(&stream->decoder, &stream->memory)) {
        stream->waiting |= STREAM_WAITS(TASK_EVENT) | STREAM_WAITS(MUST_TIME);
        if (stream->state == BRIDGE_STREAM_DRY) {
            enter(stream, BRIDGE_STREAM_PLAYING);
            stream->waiting |= STREAM_WAITS(TASK_JOIN) | STREAM_WAITS(IS_SKIPPING);
        }
    }
    return true;
}

static void time_event(struct stream *stream) {
    stream->due_us[TASK_EVENT] = tick_clock_due_us(&stream->clock, stream->decoder.tick);
}

/* The ramp sets out that the newest event moves, which has been executed. */
BRIDGE_OUTLINE static void begin_ramp(struct stream *stream) {
    stream = BRIDGE_HELD(stream);
    const struct event *event = stream->decoder.event;
    uint32_t end_tick = stream->decoder.tick + event_duration(event);
    uint32_t end_us = tick_clock_due_us(&stream->clock, end_tick);
    struct ramp *ramp = event->kind == EVENT_TAP_GAIN ? &stream->tap_gain : &stream->level;
    ramp_begin(ramp, event->first, stream->clock.stands.us, end_us);
}

/* What a REVISE replaces: all later than its time, and all that still waits for chips to be ready.
 */
BRIDGE_OUTLINE static void take_back_for_revise(struct stream *stream, uint32_t at_us) {
    stream_take_back(stream, stream_is_heard(stream) ? at_us : at_us - BRIDGE_TIME_SPAN_US);
}

static void revise(struct stream *stream) {
    uint32_t at_us = stream->at_us;
    take_back_for_revise(stream, at_us);
    if (bridge_is_due(stream->due_us[TASK_TAP_END], at_us)) {
        forget(stream, TASK_TAP_END);
    }
    stream->revised_us = at_us;
    event_memory_join(&stream->memory);
    begin_segment(stream, stream->revise_level);
    stream->waiting |= STREAM_WAITS(MUST_SHOW);
}

/* The newest thing the stream knows of lies in the past: without an END it is dry, with one it has
   ended once all is on the bus. */
static uint8_t run_out(struct stream *stream) {
    uint32_t now_us = stream->now_us;
    ramp_age(&stream->level, now_us);
    ramp_age(&stream->tap_gain, now_us);
    if (stream->state != BRIDGE_STREAM_PLAYING || waits(stream, TASK_EVENT) ||
        bridge_is_before(now_us, stream->clock.stands.us) ||
        (stream->level.is_moving && bridge_is_before(now_us, stream->level.end_us))) {
        return TASK_NONE;
    }
    if (!has_ended(stream)) {
        enter(stream, BRIDGE_STREAM_DRY);
        stream->due_us[TASK_EVENT] = now_us; /* free while no event waits: since when it is dry */
        stream->notices |= STREAM_UNDERRUN;
        return TASK_JOIN;
    }
    if (!waits(stream, TASK_TAP_END) && !stream_has_writes(stream)) {
        enter(stream, BRIDGE_STREAM_ENDED);
    }
    return TASK_NONE;
}

bool stream_is_given_up(const struct stream *stream, uint32_t now_us) {
    return stream->state == BRIDGE_STREAM_DRY && !stream->memory.is_split &&
           now_us - stream->due_us[TASK_EVENT] >= BRIDGE_DRY_MAX_US;
}

/* What comes first, and when: `at_us`. What is overdue is taken in silence before the level is
   joined. */
static uint8_t next_task(struct stream *stream) {
    stream = BRIDGE_HELD(stream);
    uint8_t next = TASK_NONE;
    uint8_t waiting = stream->waiting & (STREAM_WAITS(TASK_STEP) - 1);
    uint32_t before_us = stream->now_us;
    if (!waits(stream, TASK_JOIN)) {
        before_us += BRIDGE_HORIZON_US + 1;
        waiting = stream->waiting & (STREAM_WAITS(TASK_COUNT) - 1);
    }
    const uint32_t *due_us = stream->due_us;
    for (uint8_t task = 0; waiting; task++, due_us++, waiting >>= 1) {
        if ((waiting & 1) && bridge_is_before(*due_us, before_us)) {
            before_us = *due_us;
            next = task;
        }
    }
    if (waits(stream, TASK_JOIN) && next != TASK_EVENT) {
        return TASK_JOIN;
    }
    if (next != TASK_NONE) {
        stream->at_us = before_us;
    }
    return next;
}

/* A REVISE that is due makes room for itself: what it replaces must not hold it up. */
static bool must_revise(struct stream *stream) {
    if (waits(stream, TASK_REVISE) && bridge_is_due(stream->due_us[TASK_REVISE], stream->now_us)) {
        take_back_for_revise(stream, stream->now_us);
        return true;
    }
    return false;
}

BRIDGE_OUTLINE static bool render_any(struct stream *stream, bool must_revise) {
    stream = BRIDGE_HELD(stream);
    stream->at_us = stream->now_us;
    uint8_t task = must_revise ? TASK_REVISE : next_task(stream);
    if (task == TASK_NONE) {
        task = run_out(stream);
    }
    uint8_t kind = WRITE_LEVEL;
    switch (task) {
    case TASK_REVISE:
        revise(stream);
        break;
    case TASK_EVENT:
        if (!execute(stream)) {
            return true;
        }
        break;
    case TASK_TAP_END:
        forget(stream, TASK_TAP_END);
        stream->waiting |= STREAM_WAITS(MUST_SHOW);
        kind = WRITE_TAP_END;
        break;
    case TASK_STEP:
        break;
    case TASK_JOIN:
        stream->waiting &= (uint8_t) ~(STREAM_WAITS(TASK_JOIN) | STREAM_WAITS(IS_SKIPPING));
        forget_later(stream);
        break;
    default:
        return false;
    }
    show_level(stream, kind);
    return true;
}

/* What execute and show_level come to for a level that is in time, with nothing rendered behind it.
   False, and nothing done, if it is not that simple. */
BRIDGE_OUTLINE static bool play_level(struct stream *stream) {
    stream = BRIDGE_HELD(stream);
    const struct event *event = stream->decoder.event;
    uint32_t due_us = stream->due_us[TASK_EVENT];
    if (due_us - stream->now_us + BRIDGE_LATE_US > BRIDGE_HORIZON_US + BRIDGE_LATE_US ||
        stream_goes_beyond(stream, due_us)) {
        return false;
    }
    stream->at_us = due_us;
    pass_event(stream);
    ramp_jump(&stream->level, event->first);
    stream_show(stream, event->first, WRITE_LEVEL);
    return true;
}

/* Dense streams consist of levels, which do not take the long way while nothing else can be due. */
BRIDGE_OUTLINE bool stream_render(struct stream *stream, struct actuator *outputs,
                                  uint32_t now_us) {
    stream = BRIDGE_HELD(stream);
    stream->outputs = outputs;
    stream->now_us = now_us;
    if (stream->state == BRIDGE_STREAM_CLOSED) {
        return false;
    }
    bool revises = must_revise(stream);
    if (!stream_has_room(stream)) {
        return false;
    }
    /* An event is read in one step, timed in another, executed in a third. */
    if (!revises) {
        if (waits(stream, MUST_TIME)) {
            forget(stream, MUST_TIME);
            if (waits(stream, TASK_EVENT)) {
                time_event(stream);
            } else {
                begin_ramp(stream);
            }
            return true;
        }
        if (!waits(stream, TASK_EVENT)) {
            if (fetch(stream)) {
                return true;
            }
        } else if ((stream->waiting & STREAM_TASKS) == STREAM_WAITS(TASK_EVENT) &&
                   stream->decoder.event->kind == EVENT_LEVEL && play_level(stream)) {
            return true;
        }
    }
    return render_any(stream, revises);
}
