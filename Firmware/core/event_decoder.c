#include "event_decoder.h"

#define LITERAL_BYTES_MAX 3
#define TAP_DIFFERENCE_CENTRE 8
#define TAP_DIFFERENCE_SHARPNESS_STEP 4

/* One event as its bytes are read; memory and decoder change only once it is whole. */
struct reading {
    const struct event_memory *memory;
    uint16_t offset;
    bool is_short;
    bool is_bad;
};

static uint8_t take(struct reading *reading) {
    if (reading->offset >= event_memory_readable(reading->memory)) {
        reading->is_short = true;
        return 0;
    }
    return event_memory_peek(reading->memory, reading->offset++);
}

static uint32_t take_literal(struct reading *reading) {
    uint32_t value = 0;
    for (uint8_t index = 0; index < LITERAL_BYTES_MAX; index++) {
        uint8_t byte = take(reading);
        value |= (uint32_t)(byte & 0x7F) << (7 * index);
        if (!(byte & 0x80)) {
            return value;
        }
    }
    reading->is_bad = true;
    return value;
}

void event_decoder_init(struct event_decoder *decoder) { *decoder = (struct event_decoder){0}; }

static uint32_t ticks_until(uint32_t end, uint32_t tick) { return end > tick ? end - tick : 0; }

static uint32_t take_delta(const struct event_decoder *decoder, struct reading *reading,
                           uint8_t code) {
    switch (code) {
    case BRIDGE_DELTA_ZERO:
        return 0;
    case BRIDGE_DELTA_LITERAL:
        return take_literal(reading);
    case BRIDGE_DELTA_LEVEL_END:
        return ticks_until(decoder->level_end, decoder->tick);
    case BRIDGE_DELTA_SHARPNESS_END:
        return ticks_until(decoder->sharpness_end, decoder->tick);
    default:
        return decoder->deltas[code - BRIDGE_DELTA_SLOT];
    }
}

static void take_tap_difference(const struct event_decoder *decoder, struct reading *reading,
                                struct event *event) {
    uint8_t byte = take(reading);
    int intensity = (byte >> 4) - TAP_DIFFERENCE_CENTRE;
    int sharpness = ((byte & 0x0F) - TAP_DIFFERENCE_CENTRE) * TAP_DIFFERENCE_SHARPNESS_STEP;
    event->kind = EVENT_TAP;
    event->first = (uint8_t)(decoder->tap_intensity + intensity);
    event->second = (uint8_t)(decoder->tap_sharpness + sharpness);
}

/* A RUN is kept in `second` (its count) and `first` (its events) until it is begun. */
#define EVENT_RUN 0xFE

static void take_run(struct reading *reading, struct event *event, uint8_t length) {
    uint8_t low = take(reading);
    uint8_t high = length > 1 ? take(reading) : 0;
    event->kind = EVENT_RUN;
    event->first = (uint8_t)((low >> 6) + 1);
    event->second = 1u + (low & 0x3Fu) + ((uint32_t)high << 6);
}

static void take_special(struct reading *reading, struct event *event) {
    uint8_t code = take(reading);
    uint8_t length = code >> 4;
    uint16_t end = (uint16_t)(reading->offset + length);
    switch (code & 0x0F) {
    case BRIDGE_SPECIAL_END:
        event->kind = EVENT_END;
        break;
    case BRIDGE_SPECIAL_RUN:
        take_run(reading, event, length);
        break;
    case BRIDGE_SPECIAL_TAP_GAIN:
        event->kind = EVENT_TAP_GAIN;
        event->first = take(reading);
        event->second = take_literal(reading);
        break;
    case BRIDGE_SPECIAL_EFFECT:
        event->kind = EVENT_EFFECT;
        event->first = take(reading);
        break;
    case BRIDGE_SPECIAL_WAIT:
        event->kind = EVENT_WAIT;
        break;
    default:
        event->kind = EVENT_SKIPPED;
        break;
    }
    reading->is_bad |= reading->offset > end;
    reading->offset = end;
    reading->is_short |= end > event_memory_readable(reading->memory);
}

static void take_arguments(const struct event_decoder *decoder, struct reading *reading,
                           uint8_t operation, struct event *event) {
    switch (operation) {
    case BRIDGE_OP_TAP:
        event->kind = EVENT_TAP;
        event->first = take(reading);
        event->second = take(reading);
        break;
    case BRIDGE_OP_TAP_DIFFERENCE:
        take_tap_difference(decoder, reading, event);
        break;
    case BRIDGE_OP_LEVEL:
        event->kind = EVENT_LEVEL;
        event->first = take(reading);
        break;
    case BRIDGE_OP_LEVEL_SHARPNESS:
        event->kind = EVENT_LEVEL_SHARPNESS;
        event->first = take(reading);
        event->second = take(reading);
        break;
    case BRIDGE_OP_LEVEL_RAMP:
    case BRIDGE_OP_SHARPNESS_RAMP:
        event->kind = operation == BRIDGE_OP_LEVEL_RAMP ? EVENT_LEVEL_RAMP : EVENT_SHARPNESS_RAMP;
        event->first = take(reading);
        event->second = take_literal(reading);
        break;
    default:
        take_special(reading, event);
        break;
    }
}

static void recall(const struct value_slot *slot, struct event *event) {
    event->kind = slot->kind;
    event->first = slot->first;
    event->second = slot->second;
}

static void remember_delta(struct event_decoder *decoder, uint8_t code, uint32_t delta) {
    if (code != BRIDGE_DELTA_LITERAL || delta == 0 || delta > UINT16_MAX) {
        return;
    }
    decoder->deltas[decoder->delta_next] = (uint16_t)delta;
    decoder->delta_next = (uint8_t)((decoder->delta_next + 1) % BRIDGE_DELTA_SLOTS);
}

static void remember_value(struct event_decoder *decoder, uint8_t operation,
                           const struct event *event) {
    if (operation < BRIDGE_VALUE_SLOTS || operation == BRIDGE_OP_SPECIAL ||
        event->kind == EVENT_SKIPPED || event->second > UINT16_MAX) {
        return;
    }
    decoder->values[decoder->value_next] = (struct value_slot){
        .kind = event->kind,
        .first = event->first,
        .second = (uint16_t)event->second,
    };
    decoder->value_next = (uint8_t)((decoder->value_next + 1) % BRIDGE_VALUE_SLOTS);
}

static void remember_past(struct event_decoder *decoder, const struct event *event,
                          uint32_t delta) {
    struct past_event *past = &decoder->past[decoder->past_next];
    *past = (struct past_event){.event = *event, .delta = delta};
    if (event->kind == EVENT_SKIPPED) {
        past->event.kind = EVENT_WAIT;
    }
    decoder->past_next = (uint8_t)((decoder->past_next + 1) % BRIDGE_RUN_EVENTS_MAX);
    if (decoder->past_count < BRIDGE_RUN_EVENTS_MAX) {
        decoder->past_count++;
    }
}

/* Moves the tick line on and keeps what later events refer to. */
static void advance(struct event_decoder *decoder, const struct event *event, uint32_t delta) {
    decoder->tick += delta;
    switch (event->kind) {
    case EVENT_TAP:
        decoder->tap_intensity = event->first;
        decoder->tap_sharpness = (uint8_t)event->second;
        break;
    case EVENT_LEVEL_SHARPNESS:
        decoder->sharpness_end = decoder->tick;
        decoder->level_end = decoder->tick;
        break;
    case EVENT_LEVEL: /* its duration is 0 */
    case EVENT_LEVEL_RAMP:
        decoder->level_end = decoder->tick + event->second;
        break;
    case EVENT_SHARPNESS_RAMP:
        decoder->sharpness_end = decoder->tick + event->second;
        break;
    default:
        break;
    }
}

/* The last events stay what they are: `run_left` tells which of them is next. */
static void repeat(struct event_decoder *decoder, struct event *event) {
    uint8_t back = (uint8_t)((decoder->run_left - 1) % decoder->run_events + 1);
    uint8_t at = (uint8_t)(decoder->past_next + BRIDGE_RUN_EVENTS_MAX - back);
    const struct past_event *past = &decoder->past[at % BRIDGE_RUN_EVENTS_MAX];
    decoder->run_left--;
    *event = past->event;
    advance(decoder, event, past->delta);
}

/* Answers with the first event of the run: a RUN is no event itself. */
static void begin_run(struct event_decoder *decoder, struct event *event) {
    decoder->run_events = event->first;
    decoder->run_left = event->first * event->second;
    repeat(decoder, event);
}

static void accept(struct event_decoder *decoder, uint8_t first, struct event *event,
                   uint32_t delta) {
    remember_delta(decoder, first & 0x0F, delta);
    remember_value(decoder, first >> 4, event);
    if (event->kind == EVENT_RUN && event->first <= decoder->past_count) {
        begin_run(decoder, event);
        return;
    }
    if (event->kind == EVENT_RUN) {
        *event = (struct event){.kind = EVENT_SKIPPED};
    }
    if (event->kind != EVENT_END) {
        remember_past(decoder, event, delta);
    }
    advance(decoder, event, delta);
}

bool event_decoder_next(struct event_decoder *decoder, struct event_memory *memory,
                        struct event *event) {
    if (decoder->run_left) {
        repeat(decoder, event);
        return true;
    }
    struct reading reading = {.memory = memory};
    *event = (struct event){.kind = EVENT_SKIPPED};
    uint8_t first = take(&reading);
    uint32_t delta = take_delta(decoder, &reading, first & 0x0F);
    if (first >> 4 < BRIDGE_VALUE_SLOTS) {
        recall(&decoder->values[first >> 4], event);
    } else {
        take_arguments(decoder, &reading, first >> 4, event);
    }
    if (reading.is_short) {
        return false;
    }
    if (reading.is_bad) {
        *event = (struct event){.kind = EVENT_SKIPPED};
    }
    accept(decoder, first, event, delta);
    event_memory_consume(memory, reading.offset);
    return true;
}
