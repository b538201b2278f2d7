#include "event_decoder.h"

#include "bridge_flash.h"
#include "bridge_outline.h"

#define LITERAL_BYTES_MAX 3
#define LITERAL_TOO_LONG (BRIDGE_TICKS_MAX + 1ul)

/* What bytes follow a kind of event, and what it moves. */
enum trait {
    HAS_FIRST = 1,
    HAS_SECOND = 2,
    HAS_DURATION = 4,
    MOVES_LEVEL = 8,
    MOVES_SHARPNESS = 16,
};

static const uint8_t traits[] BRIDGE_FLASH = {
    [EVENT_TAP] = HAS_FIRST | HAS_SECOND,
    [EVENT_TAP_DIFFERENCE] = HAS_FIRST,
    [EVENT_LEVEL] = HAS_FIRST | MOVES_LEVEL,
    [EVENT_LEVEL_SHARPNESS] = HAS_FIRST | HAS_SECOND | MOVES_LEVEL | MOVES_SHARPNESS,
    [EVENT_LEVEL_RAMP] = HAS_FIRST | HAS_DURATION | MOVES_LEVEL,
    [EVENT_SHARPNESS_RAMP] = HAS_FIRST | HAS_DURATION | MOVES_SHARPNESS,
    [EVENT_END] = 0,
    [EVENT_RUN] = HAS_FIRST,
    [EVENT_TAP_GAIN] = HAS_FIRST | HAS_DURATION,
    [EVENT_EFFECT] = HAS_FIRST,
    [EVENT_WAIT] = 0,
    [EVENT_SKIPPED] = 0,
};

static uint8_t traits_of(const struct event *event) {
    return bridge_flash_byte(&traits[event->kind]);
}

uint32_t event_duration(const struct event *event) {
    return traits_of(event) & HAS_DURATION ? event->second : 0;
}

void event_decoder_init(struct event_decoder *decoder) { *decoder = (struct event_decoder){0}; }

/* ---- Reading --------------------------------------------------------------------------- */

/* How far an event has been read. Whether it was all there is asked once, at its end: what was read
   beyond means nothing then. */
struct reading {
    const struct event_memory *memory;
    uint8_t offset;
};

static uint8_t take(struct reading *reading) {
    return event_memory_peek(reading->memory, reading->offset++);
}

/* Seven bits a byte, the least significant first. */
static uint32_t take_literal(struct reading *reading) {
    uint32_t value = 0;
    for (uint8_t shift = 0; shift < 7 * LITERAL_BYTES_MAX; shift = (uint8_t)(shift + 7)) {
        uint8_t byte = take(reading);
        value |= (uint32_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    return value | LITERAL_TOO_LONG;
}

static uint32_t take_delta(const struct event_decoder *decoder, uint8_t code,
                           struct reading *reading) {
    if (code >= BRIDGE_DELTA_SLOT) {
        return decoder->deltas[code - BRIDGE_DELTA_SLOT];
    }
    if (code == BRIDGE_DELTA_LITERAL) {
        return take_literal(reading);
    }
    if (code == BRIDGE_DELTA_ZERO) {
        return 0;
    }
    uint32_t end = decoder->ends[code - BRIDGE_DELTA_LEVEL_END];
    return end > decoder->tick ? end - decoder->tick : 0;
}

/* An event with its arguments. Those of a special end where its length says. */
static void take_event(struct event *event, uint8_t operation, struct reading *reading) {
    uint8_t length = 0;
    uint8_t end = 0;
    event->kind = (uint8_t)(operation - BRIDGE_OP_TAP);
    if (operation == BRIDGE_OP_SPECIAL) {
        uint8_t code = take(reading);
        length = code >> 4;
        end = (uint8_t)(reading->offset + length);
        event->kind = (uint8_t)(EVENT_END + (code & 0x0F));
        if (event->kind > EVENT_SKIPPED) {
            event->kind = EVENT_SKIPPED;
        }
    }
    uint8_t has = traits_of(event);
    if (has & HAS_FIRST) {
        event->first = take(reading);
    }
    if (has & HAS_SECOND || (event->kind == EVENT_RUN && length > 1)) {
        event->second = take(reading);
    }
    if (has & HAS_DURATION) {
        event->second = take_literal(reading);
    }
    if (operation == BRIDGE_OP_SPECIAL) {
        if (reading->offset > end) {
            event->kind = EVENT_SKIPPED;
        }
        reading->offset = end;
    }
}

/* ---- What later events refer to -------------------------------------------------------- */

static uint8_t next_slot(uint8_t slot, uint8_t count) {
    return slot + 1 < count ? (uint8_t)(slot + 1) : 0;
}

static void remember_delta(struct event_decoder *decoder, uint32_t delta) {
    if (delta != 0 && delta <= UINT16_MAX) {
        decoder->deltas[decoder->delta_next] = (uint16_t)delta;
        decoder->delta_next = next_slot(decoder->delta_next, BRIDGE_DELTA_SLOTS);
    }
}

static void remember_value(struct event_decoder *decoder, const struct event *event) {
    if (event->kind < EVENT_END && event->second <= UINT16_MAX) {
        struct value_slot *slot = &decoder->values[decoder->value_next];
        slot->kind = event->kind;
        slot->first = event->first;
        slot->second = (uint16_t)event->second;
        decoder->value_next = next_slot(decoder->value_next, BRIDGE_VALUE_SLOTS);
    }
}

static struct past_event *past(struct event_decoder *decoder, uint8_t back) {
    return &decoder->past[(uint8_t)(decoder->past_count - back) % BRIDGE_RUN_EVENTS_MAX];
}

static void remember_past(struct event_decoder *decoder, const struct past_event *found) {
    struct past_event *newest = past(decoder, 0);
    *newest = *found;
    if (newest->event.kind == EVENT_SKIPPED) {
        newest->event.kind = EVENT_WAIT;
    }
    if (++decoder->past_count == 2 * BRIDGE_RUN_EVENTS_MAX) {
        decoder->past_count = BRIDGE_RUN_EVENTS_MAX;
    }
}

/* ---- Events ---------------------------------------------------------------------------- */

static void resolve_difference(const struct event_decoder *decoder, struct event *event) {
    uint8_t difference = event->first;
    event->kind = EVENT_TAP;
    event->first = (uint8_t)(decoder->tap_intensity + (difference >> 4) - 8);
    event->second = (uint8_t)(decoder->tap_sharpness + (difference & 0x0F) * 4 - 32);
}

/* False over more events than there are. */
static bool begin_run(struct event_decoder *decoder, const struct event *event) {
    uint8_t events = (uint8_t)((event->first >> 6) + 1);
    if (events > decoder->past_count) {
        return false;
    }
    decoder->run_events = events;
    decoder->run_left = events;
    decoder->run_count = (uint16_t)(((uint8_t)event->second << 6) + (event->first & 0x3F) + 1);
    return true;
}

/* The last events stay what they are while they are repeated. */
static void repeat(struct event_decoder *decoder, struct past_event *found) {
    *found = *past(decoder, decoder->run_left);
    if (--decoder->run_left == 0) {
        decoder->run_left = decoder->run_events;
        decoder->run_count--;
    }
}

/* An event, or the beginning of a run, from memory; false if it is not whole yet. */
static bool read_event(struct event_decoder *decoder, struct event_memory *memory,
                       struct past_event *found) {
    struct event *event = &found->event;
    struct reading reading = {.memory = memory};
    uint8_t code = take(&reading);
    uint8_t operation = code >> 4;
    code &= 0x0F;
    found->delta = take_delta(decoder, code, &reading);
    *event = (struct event){0};
    if (operation < BRIDGE_VALUE_SLOTS) {
        const struct value_slot *slot = &decoder->values[operation];
        event->kind = slot->kind;
        event->first = slot->first;
        event->second = slot->second;
    } else {
        take_event(event, operation, &reading);
    }
    if (reading.offset > memory->readable) {
        return false;
    }
    event_memory_consume(memory, reading.offset);
    if ((found->delta | event->second) & LITERAL_TOO_LONG) {
        found->delta &= BRIDGE_TICKS_MAX;
        event->kind = EVENT_SKIPPED;
    }
    if (code == BRIDGE_DELTA_LITERAL) {
        remember_delta(decoder, found->delta);
    }
    if (event->kind == EVENT_TAP_DIFFERENCE) {
        resolve_difference(decoder, event);
    }
    if (operation >= BRIDGE_OP_TAP) {
        remember_value(decoder, event);
    }
    if (event->kind == EVENT_RUN) {
        if (begin_run(decoder, event)) {
            return true;
        }
        event->kind = EVENT_SKIPPED;
    }
    if (event->kind != EVENT_END) {
        remember_past(decoder, found);
    }
    return true;
}

BRIDGE_OUTLINE
bool event_decoder_next(struct event_decoder *decoder, struct event_memory *memory,
                        struct event *event) {
    struct past_event found;
    if (!decoder->run_count && !read_event(decoder, memory, &found)) {
        return false;
    }
    if (decoder->run_count) {
        repeat(decoder, &found);
    }
    *event = found.event;
    decoder->tick += found.delta;
    uint8_t moves = traits_of(event);
    uint32_t end = decoder->tick + event_duration(event);
    if (moves & MOVES_LEVEL) {
        decoder->ends[0] = end;
    }
    if (moves & MOVES_SHARPNESS) {
        decoder->ends[1] = end;
    }
    if (event->kind == EVENT_TAP) {
        decoder->tap_intensity = event->first;
        decoder->tap_sharpness = (uint8_t)event->second;
    }
    return true;
}
