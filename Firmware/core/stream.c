#include "stream.h"

#include "bridge_time.h"
#include "drv2605_registers.h"
#include "stream_writes.h"

#define FULL 255
#define WRITES_PER_EVENT 4 /* a ROM effect: the last one off, waveform, mode, go */

/* ---- States ---------------------------------------------------------------------------- */

void stream_open(struct stream *stream, uint16_t actuators, uint8_t *bytes, uint16_t capacity) {
    *stream = (struct stream){
        .state = BRIDGE_STREAM_OPEN,
        .actuators = actuators,
        .clock.scale = (uint32_t)BRIDGE_TICK_US << BRIDGE_SCALE_FRACTION_BITS,
    };
    event_memory_init(&stream->memory, bytes, capacity);
    event_decoder_init(&stream->decoder);
    stream->limit_told = event_memory_limit(&stream->memory);
}

void stream_close(struct stream *stream) {
    stream->state = BRIDGE_STREAM_CLOSED;
    stream->actuators = 0;
    stream->notices |= STREAM_CHANGED;
}

/* Every segment begins alike: fresh decoder, tick 0, tap gain full, a level that holds. */
static void begin_segment(struct stream *stream, uint32_t at_us, uint8_t level) {
    event_decoder_init(&stream->decoder);
    tick_clock_anchor(&stream->clock, at_us);
    ramp_jump(&stream->level, level, at_us);
    ramp_jump(&stream->tap_gain, FULL, at_us);
    stream->newest_us = at_us;
    stream->newest_tick = 0;
    stream->has_next = false;
    stream->is_ramping = false;
    stream->is_ending = false;
    stream->is_joining = false;
    stream->is_skipping = false;
    stream->state = BRIDGE_STREAM_PLAYING;
    stream->notices |= STREAM_CHANGED;
}

void stream_start(struct stream *stream, uint32_t time_us, uint32_t scale) {
    stream->clock.scale = scale;
    stream->start_us = time_us;
    begin_segment(stream, time_us, 0);
}

void stream_set_scale(struct stream *stream, uint32_t tick, uint32_t scale) {
    uint32_t newest = stream->newest_tick;
    tick_clock_set_scale(&stream->clock, tick > newest ? tick : newest, scale);
}

void stream_revise(struct stream *stream, uint32_t time_us, uint8_t level) {
    event_memory_split(&stream->memory);
    stream->generation++;
    stream->revise_us = time_us;
    stream->revise_level = level;
}

/* ---- Events ---------------------------------------------------------------------------- */

/* What makes a sound of its own is not made up for later. */
static bool is_too_late(struct stream *stream, uint32_t due_us, uint32_t now_us) {
    if (!stream->is_skipping && !bridge_is_before(due_us + BRIDGE_TAP_LATE_MAX_US, now_us)) {
        return false;
    }
    stream->skipped_taps++;
    return true;
}

static void play_tap(struct stream *stream, const struct stream_output *output, uint32_t due_us,
                     uint32_t now_us) {
    if (is_too_late(stream, due_us, now_us)) {
        return;
    }
    stream_take_back(stream, output, due_us + 1);
    uint16_t gain = ramp_value(&stream->tap_gain, due_us);
    uint8_t level = (uint8_t)((stream->next.first * gain + FULL / 2) / FULL);
    stream_push_level(stream, output, due_us, level, stream->in_tap ? WRITE_TAP_IN_TAP : WRITE_TAP);
    uint32_t length_us =
        configuration_tap_us(stream_configuration(stream, output), (uint8_t)stream->next.second);
    stream->in_tap = true;
    stream->is_joining = false;
    stream->tap_end_us = bridge_later(due_us, now_us) + length_us;
}

static void play_effect(struct stream *stream, const struct stream_output *output, uint32_t due_us,
                        uint32_t now_us) {
    uint8_t effect = stream->next.first;
    bool possible = configuration_has_effects(stream_configuration(stream, output));
    if (!possible || effect == 0 || effect > BRIDGE_EFFECT_MAX) {
        stream->notices |= STREAM_BAD_EVENT;
        return;
    }
    if (is_too_late(stream, due_us, now_us)) {
        return;
    }
    stream_take_back(stream, output, due_us + 1);
    if (stream->in_effect) {
        stream_push_register(stream, output, due_us, DRV2605_REG_GO, 0);
    }
    stream_push_register(stream, output, due_us, DRV2605_REG_WAVEFORM_1, effect);
    stream_push_register(stream, output, due_us, DRV2605_REG_MODE, DRV2605_MODE_INTERNAL_TRIGGER);
    stream_push_register(stream, output, due_us, DRV2605_REG_GO, DRV2605_GO);
    stream->in_effect = true;
    stream->in_tap = false;
}

static void schedule_step(struct stream *stream, uint32_t from_us) {
    stream->is_ramping = bridge_is_before(from_us, stream->level.end_us);
    uint32_t step_us = from_us + BRIDGE_RAMP_STEP_US;
    stream->step_us =
        bridge_is_before(step_us, stream->level.end_us) ? step_us : stream->level.end_us;
}

static void move_level(struct stream *stream, const struct stream_output *output, uint32_t due_us,
                       bool overdue) {
    stream_take_back(stream, output, due_us + 1);
    uint32_t end_us = tick_clock_due_us(&stream->clock, stream->decoder.tick + stream->next.second);
    if (stream->next.kind == EVENT_LEVEL_RAMP && stream->next.second) {
        ramp_begin(&stream->level, stream->next.first, due_us, end_us);
    } else {
        ramp_jump(&stream->level, stream->next.first, due_us);
    }
    schedule_step(stream, due_us);
    if (overdue) {
        stream->late_levels++;
        stream->is_joining = true;
    } else {
        stream_show_level(stream, output, due_us);
    }
}

static void end(struct stream *stream, const struct stream_output *output, uint32_t due_us) {
    stream_take_back(stream, output, due_us + 1);
    ramp_jump(&stream->level, 0, due_us);
    stream->is_ramping = false;
    stream->is_joining = false;
    stream->is_ending = true;
    stream->end_us = stream->in_tap ? bridge_later(due_us, stream->tap_end_us) : due_us;
    stream_show_level(stream, output, due_us);
}

static void execute(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    uint32_t due_us = tick_clock_due_us(&stream->clock, stream->decoder.tick);
    bool overdue = bridge_is_before(due_us + BRIDGE_LATE_US, now_us);
    stream->has_next = false;
    stream->is_skipping = stream->is_skipping && bridge_is_before(due_us, stream->skip_us);
    stream->newest_us = due_us;
    stream->newest_tick = stream->decoder.tick;
    stream->events++;
    tick_clock_pass(&stream->clock, stream->newest_tick);
    switch ((enum event_kind)stream->next.kind) {
    case EVENT_TAP:
        play_tap(stream, output, due_us, now_us);
        break;
    case EVENT_LEVEL:
    case EVENT_LEVEL_SHARPNESS:
    case EVENT_LEVEL_RAMP:
        move_level(stream, output, due_us, overdue);
        break;
    case EVENT_TAP_GAIN:
        ramp_begin(&stream->tap_gain, stream->next.first, due_us,
                   tick_clock_due_us(&stream->clock, stream->decoder.tick + stream->next.second));
        break;
    case EVENT_EFFECT:
        play_effect(stream, output, due_us, now_us);
        break;
    case EVENT_END:
        end(stream, output, due_us);
        break;
    case EVENT_SKIPPED:
        stream->notices |= STREAM_BAD_EVENT;
        break;
    case EVENT_SHARPNESS_RAMP: /* nothing to show on a chip locked to resonance */
    case EVENT_WAIT:
        break;
    }
}

/* ---- Rendering ------------------------------------------------------------------------- */

static bool is_playing(const struct stream *stream) {
    return stream->state == BRIDGE_STREAM_PLAYING || stream->state == BRIDGE_STREAM_DRY;
}

static void fetch(struct stream *stream, uint32_t now_us) {
    if (stream->has_next || stream->is_ending || !is_playing(stream)) {
        return;
    }
    stream->has_next = event_decoder_next(&stream->decoder, &stream->memory, &stream->next);
    if (stream->has_next && stream->state == BRIDGE_STREAM_DRY) {
        stream->state = BRIDGE_STREAM_PLAYING;
        stream->notices |= STREAM_CHANGED;
        stream->is_joining = true;
        stream->is_skipping = true;
        stream->skip_us = now_us;
    }
}

/* The newest thing the stream knows of lies in the past, and there was no END. */
static bool is_dry(const struct stream *stream, uint32_t now_us) {
    uint32_t known_us = bridge_later(stream->newest_us, stream->level.end_us);
    return stream->state == BRIDGE_STREAM_PLAYING && !stream->has_next && !stream->is_ending &&
           bridge_is_due(known_us, now_us);
}

static void run_dry(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    stream->state = BRIDGE_STREAM_DRY;
    stream->is_ramping = false;
    stream->is_joining = false;
    stream->notices |= STREAM_UNDERRUN | STREAM_CHANGED;
    stream_take_back(stream, output, now_us + 1);
    stream_show_level(stream, output, now_us);
}

static void carry_out_revise(struct stream *stream, const struct stream_output *output,
                             uint32_t now_us) {
    uint32_t at_us = bridge_later(stream->revise_us, now_us);
    bool was_playing = is_playing(stream);
    stream_take_back(stream, output, at_us);
    stream->in_tap = stream->in_tap && bridge_is_before(at_us, stream->tap_end_us);
    stream->revised_us = at_us;
    stream->revised_position = was_playing ? tick_clock_tick_at(&stream->clock, at_us) : 0;
    event_memory_join(&stream->memory);
    begin_segment(stream, at_us, stream->revise_level);
    if (!stream->in_tap) {
        stream_push_level(stream, output, at_us, stream->revise_level, WRITE_LEVEL);
    }
}

static void end_tap(struct stream *stream, const struct stream_output *output) {
    stream->in_tap = false;
    stream->is_joining = false;
    stream_push_level(stream, output, stream->tap_end_us,
                      stream_level_at(stream, stream->tap_end_us), WRITE_TAP_END);
    if (stream->is_ramping) {
        schedule_step(stream, stream->tap_end_us);
    }
}

static void step_ramp(struct stream *stream, const struct stream_output *output) {
    uint32_t step_us = stream->step_us;
    schedule_step(stream, step_us);
    if (!stream->in_effect) {
        stream_show_level(stream, output, step_us);
    }
}

enum next_action { ACTION_NONE, ACTION_EVENT, ACTION_TAP_END, ACTION_STEP };

/* What comes first; at equal times an event goes before what it may replace. */
static enum next_action next_action(const struct stream *stream, uint32_t *at_us) {
    enum next_action action = ACTION_NONE;
    if (stream->is_ramping && !stream->in_tap) {
        action = ACTION_STEP;
        *at_us = stream->step_us;
    }
    if (stream->in_tap) {
        action = ACTION_TAP_END;
        *at_us = stream->tap_end_us;
    }
    if (stream->has_next) {
        uint32_t due_us = tick_clock_due_us(&stream->clock, stream->decoder.tick);
        if (action == ACTION_NONE || !bridge_is_before(*at_us, due_us)) {
            action = ACTION_EVENT;
            *at_us = due_us;
        }
    }
    return action;
}

static void join(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    stream->is_joining = false;
    if (stream->is_ramping) {
        schedule_step(stream, now_us);
    }
    stream_take_back(stream, output, now_us + 1);
    stream_show_level(stream, output, now_us);
}

static bool finish(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    if (stream->in_tap || !bridge_is_due(stream->end_us, now_us) ||
        writes_has(output->writes, stream->actuators)) {
        return false;
    }
    stream->is_ending = false;
    stream->state = BRIDGE_STREAM_ENDED;
    stream->notices |= STREAM_CHANGED;
    return true;
}

static bool revise_comes_first(const struct stream *stream, uint32_t at_us, uint32_t now_us) {
    return stream->memory.is_split &&
           (bridge_is_due(stream->revise_us, at_us) || bridge_is_due(stream->revise_us, now_us));
}

/* Keeps times that lie long ago from being taken for times to come. */
static void age(struct stream *stream, uint32_t now_us) {
    ramp_age(&stream->level, now_us);
    ramp_age(&stream->tap_gain, now_us);
}

/* A REVISE that is due makes room for itself: what it replaces must not hold it up. */
static bool has_room(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    if (stream->memory.is_split && bridge_is_due(stream->revise_us, now_us)) {
        stream_take_back(stream, output, now_us);
    }
    return writes_room(output->writes) >= WRITES_PER_EVENT * BRIDGE_ACTUATOR_COUNT;
}

static void act(struct stream *stream, const struct stream_output *output, enum next_action action,
                uint32_t now_us) {
    switch (action) {
    case ACTION_EVENT:
        execute(stream, output, now_us);
        break;
    case ACTION_TAP_END:
        end_tap(stream, output);
        break;
    default:
        step_ramp(stream, output);
        break;
    }
}

bool stream_render(struct stream *stream, const struct stream_output *output, uint32_t now_us) {
    if (stream->state == BRIDGE_STREAM_CLOSED || !has_room(stream, output, now_us)) {
        return false;
    }
    age(stream, now_us);
    fetch(stream, now_us);
    uint32_t horizon_us = now_us + BRIDGE_HORIZON_US;
    uint32_t at_us = horizon_us;
    enum next_action action = next_action(stream, &at_us);
    if (revise_comes_first(stream, at_us, now_us) && bridge_is_due(stream->revise_us, horizon_us)) {
        carry_out_revise(stream, output, now_us);
    } else if (stream->is_joining && !(action == ACTION_EVENT && bridge_is_before(at_us, now_us))) {
        join(stream, output, now_us);
    } else if (action != ACTION_NONE && bridge_is_due(at_us, horizon_us)) {
        act(stream, output, action, now_us);
    } else if (is_dry(stream, now_us)) {
        run_dry(stream, output, now_us);
    } else {
        return stream->is_ending && finish(stream, output, now_us);
    }
    return true;
}
