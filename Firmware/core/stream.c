#include "stream.h"

#include "bridge_outline.h"
#include "bridge_time.h"
#include "drv2605_registers.h"
#include "stream_writes.h"

#define FULL 255
#define WRITES_PER_EVENT 4 /* a ROM effect: the last one off, waveform, mode, go */

/* ---- States ---------------------------------------------------------------------------- */

static void enter(struct stream *stream, uint8_t state) {
    stream->state = state;
    stream->notices |= STREAM_CHANGED;
}

void stream_open(struct stream *stream, uint16_t actuators, uint8_t *bytes, uint16_t capacity) {
    *stream = (struct stream){0};
    stream->state = BRIDGE_STREAM_OPEN;
    stream->actuators = actuators;
    stream->limit_told = capacity;
    stream->next.kind = EVENT_END; /* nothing is decoded before a segment begins */
    stream->clock.scale = (uint32_t)BRIDGE_TICK_US << BRIDGE_SCALE_FRACTION_BITS;
    event_memory_init(&stream->memory, bytes, capacity);
}

void stream_close(struct stream *stream) {
    stream->actuators = 0;
    enter(stream, BRIDGE_STREAM_CLOSED);
}

/* Every segment begins alike: fresh decoder, tick 0, tap gain full, a level that holds. */
static void begin_segment(struct stream *stream, uint32_t at_us, uint8_t level) {
    event_decoder_init(&stream->decoder);
    tick_clock_anchor(&stream->clock, at_us);
    ramp_begin(&stream->level, level, at_us, at_us);
    ramp_begin(&stream->tap_gain, FULL, at_us, at_us);
    stream->waits[TASK_REVISE] = false;
    stream->waits[TASK_EVENT] = false;
    stream->waits[TASK_STEP] = false;
    stream->is_joining = false;
    stream->next.kind = EVENT_WAIT;
    stream->is_skipping = false;
    enter(stream, BRIDGE_STREAM_PLAYING);
}

void stream_start(struct stream *stream, uint32_t time_us, uint32_t scale) {
    stream->clock.scale = scale;
    stream->start_us = time_us;
    begin_segment(stream, time_us, 0);
}

static uint32_t due_us(const struct stream *stream, uint32_t ticks_after) {
    return tick_clock_due_us(&stream->clock, stream->decoder.tick + ticks_after);
}

void stream_set_scale(struct stream *stream, uint32_t tick, uint32_t scale) {
    tick_clock_set_scale(&stream->clock, tick, scale);
    stream->due_us[TASK_EVENT] = due_us(stream, 0);
}

void stream_revise(struct stream *stream, uint32_t time_us, uint8_t level) {
    event_memory_split(&stream->memory);
    stream->generation++;
    stream->waits[TASK_REVISE] = true;
    stream->due_us[TASK_REVISE] = time_us;
    stream->revise_level = level;
}

/* Shows the level ramp, unless something lies over it, and goes on with it from there. */
static void show_level(struct stream *stream, const struct stream_output *output, uint32_t at_us,
                       uint8_t kind) {
    uint32_t left_us = stream->level.end_us - at_us;
    stream->waits[TASK_STEP] = (int32_t)left_us > 0;
    if (left_us > BRIDGE_RAMP_STEP_US) {
        left_us = BRIDGE_RAMP_STEP_US;
    }
    stream->due_us[TASK_STEP] = at_us + left_us;
    uint8_t level = stream->state == BRIDGE_STREAM_DRY ? 0 : ramp_value(&stream->level, at_us);
    if (!stream->waits[TASK_TAP_END] &&
        (level != stream->shown || stream->in_effect || stream->must_show)) {
        stream_push_level(stream, output, at_us, level, kind);
    }
}

/* ---- Events ---------------------------------------------------------------------------- */

static void play_tap(struct stream *stream, const struct stream_output *output, uint32_t at_us,
                     uint32_t now_us) {
    uint16_t gain = ramp_value(&stream->tap_gain, at_us);
    uint8_t level = (uint8_t)((stream->next.first * gain + FULL / 2) / FULL);
    stream_push_level(stream, output, at_us, level,
                      stream->waits[TASK_TAP_END] ? WRITE_TAP_IN_TAP : WRITE_TAP);
    stream->waits[TASK_TAP_END] = true;
    stream->due_us[TASK_TAP_END] =
        bridge_later(at_us, now_us) +
        configuration_tap_us(stream_configuration(stream, output), (uint8_t)stream->next.second);
}

static void play_effect(struct stream *stream, const struct stream_output *output, uint32_t at_us) {
    if (stream->in_effect) {
        stream_push_register(stream, output, at_us, DRV2605_REG_GO, 0);
    }
    stream_push_register(stream, output, at_us, DRV2605_REG_WAVEFORM_1, stream->next.first);
    stream_push_register(stream, output, at_us, DRV2605_REG_MODE, DRV2605_MODE_INTERNAL_TRIGGER);
    stream_push_register(stream, output, at_us, DRV2605_REG_GO, DRV2605_GO);
    stream->in_effect = true;
    stream->waits[TASK_TAP_END] = false;
}

static bool has_effect(const struct stream *stream, const struct stream_output *output) {
    uint8_t effect = stream->next.first;
    return effect != 0 && effect <= BRIDGE_EFFECT_MAX &&
           configuration_has_effects(stream_configuration(stream, output));
}

/* True if the level ramp is to be shown after it. */
static bool execute(struct stream *stream, const struct stream_output *output, uint32_t at_us,
                    uint32_t now_us) {
    uint8_t kind = stream->next.kind;
    tick_clock_move(&stream->clock, stream->decoder.tick);
    uint32_t end_us = due_us(stream, event_duration(&stream->next));
    stream->waits[TASK_EVENT] = false;
    stream->events++;
    switch (kind) {
    case EVENT_LEVEL:
    case EVENT_LEVEL_SHARPNESS:
    case EVENT_LEVEL_RAMP:
    case EVENT_END: /* a jump to 0 */
        break;
    case EVENT_TAP_GAIN:
        ramp_begin(&stream->tap_gain, stream->next.first, at_us, end_us);
        return false;
    case EVENT_EFFECT:
        if (!has_effect(stream, output)) {
            stream->notices |= STREAM_BAD_EVENT;
            return false;
        }
        /* fall through */
    case EVENT_TAP: /* what makes a sound of its own is not made up for later */
        if (stream->is_skipping || bridge_is_before(at_us + BRIDGE_TAP_LATE_MAX_US, now_us)) {
            stream->notices |= STREAM_TAP_SKIPPED;
            return false;
        }
        break;
    case EVENT_SKIPPED:
        stream->notices |= STREAM_BAD_EVENT;
        return false;
    default: /* a wait, or a sharpness: nothing to show on a chip locked to resonance */
        return false;
    }
    stream_take_back(stream, output, at_us + 1);
    if (kind == EVENT_TAP) {
        play_tap(stream, output, at_us, now_us);
        return false;
    }
    if (kind == EVENT_EFFECT) {
        play_effect(stream, output, at_us);
        return false;
    }
    ramp_begin(&stream->level, stream->next.first, at_us, end_us);
    if (kind == EVENT_END) {
        stream->is_joining = false;
    } else if (bridge_is_before(at_us + BRIDGE_LATE_US, now_us)) {
        stream->notices |= STREAM_LEVEL_LATE;
        stream->is_joining = true;
        return false;
    }
    return true;
}

/* ---- Rendering ------------------------------------------------------------------------- */

static void fetch(struct stream *stream) {
    if (stream->waits[TASK_EVENT] || stream->next.kind == EVENT_END ||
        !event_decoder_next(&stream->decoder, &stream->memory, &stream->next)) {
        return;
    }
    stream->waits[TASK_EVENT] = true;
    stream->due_us[TASK_EVENT] = due_us(stream, 0);
    if (stream->state == BRIDGE_STREAM_DRY) {
        enter(stream, BRIDGE_STREAM_PLAYING);
        stream->is_joining = true;
        stream->is_skipping = true;
    }
}

static void revise(struct stream *stream, const struct stream_output *output, uint32_t at_us) {
    stream_take_back(stream, output, at_us);
    if (!bridge_is_before(at_us, stream->due_us[TASK_TAP_END])) {
        stream->waits[TASK_TAP_END] = false;
    }
    stream->revised_us = at_us;
    bool is_playing = stream->state == BRIDGE_STREAM_PLAYING || stream->state == BRIDGE_STREAM_DRY;
    stream->revised_position = is_playing ? tick_clock_tick_at(&stream->clock, at_us) : 0;
    event_memory_join(&stream->memory);
    begin_segment(stream, at_us, stream->revise_level);
    stream->must_show = true;
}

/* The newest thing the stream knows of lies in the past: without an END it is dry, with one it has
   ended once all is on the bus. */
static uint8_t run_out(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    if (stream->state != BRIDGE_STREAM_PLAYING || stream->waits[TASK_EVENT] ||
        bridge_is_before(now_us, stream->clock.us) ||
        bridge_is_before(now_us, stream->level.end_us)) {
        return TASK_NONE;
    }
    if (stream->next.kind != EVENT_END) {
        enter(stream, BRIDGE_STREAM_DRY);
        stream->notices |= STREAM_UNDERRUN;
        return TASK_JOIN;
    }
    if (!stream->waits[TASK_TAP_END] && !writes_has(output->writes, stream->actuators)) {
        enter(stream, BRIDGE_STREAM_ENDED);
    }
    return TASK_NONE;
}

/* What comes first, and when. What is overdue is taken in silence before the level is joined. */
static uint8_t next_task(const struct stream *stream, uint32_t *at_us) {
    uint8_t next = TASK_JOIN;
    uint8_t count = TASK_STEP;
    uint32_t before_us = *at_us;
    if (!stream->is_joining) {
        before_us += BRIDGE_HORIZON_US + 1;
        next = TASK_NONE;
        if (!stream->waits[TASK_TAP_END] && !stream->in_effect) {
            count = TASK_COUNT;
        }
    }
    for (uint8_t task = 0; task < count; task++) {
        if (stream->waits[task] && bridge_is_before(stream->due_us[task], before_us)) {
            before_us = stream->due_us[task];
            next = task;
        }
    }
    if (stream->is_joining && next != TASK_EVENT) {
        return TASK_JOIN;
    }
    if (next != TASK_NONE) {
        *at_us = before_us;
    }
    return next;
}

BRIDGE_OUTLINE
bool stream_render(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    if (stream->state == BRIDGE_STREAM_CLOSED) {
        return false;
    }
    /* A REVISE that is due makes room for itself: what it replaces must not hold it up. */
    bool must_revise =
        stream->waits[TASK_REVISE] && bridge_is_due(stream->due_us[TASK_REVISE], now_us);
    if (must_revise) {
        stream_take_back(stream, output, now_us);
    }
    if (writes_room(output->writes) < WRITES_PER_EVENT * BRIDGE_ACTUATOR_COUNT) {
        return false;
    }
    ramp_age(&stream->level, now_us);
    ramp_age(&stream->tap_gain, now_us);
    fetch(stream);
    uint32_t at_us = now_us;
    uint8_t task = must_revise ? TASK_REVISE : next_task(stream, &at_us);
    if (task == TASK_NONE) {
        task = run_out(stream, output, now_us);
    }
    switch (task) {
    case TASK_REVISE:
        revise(stream, output, at_us);
        break;
    case TASK_EVENT:
        if (!execute(stream, output, at_us, now_us)) {
            return true;
        }
        break;
    case TASK_TAP_END:
        stream->waits[TASK_TAP_END] = false;
        stream->must_show = true;
        break;
    case TASK_STEP:
        break;
    case TASK_JOIN:
        stream->is_joining = false;
        stream->is_skipping = false;
        stream_take_back(stream, output, at_us + 1);
        break;
    default:
        return false;
    }
    show_level(stream, output, at_us, task == TASK_TAP_END ? WRITE_TAP_END : WRITE_LEVEL);
    return true;
}
