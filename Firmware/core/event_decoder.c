#include "event_decoder.h"

#include <stddef.h>

#include "bridge_flash.h"
#include "bridge_outline.h"

#define LITERAL_TOO_LONG 0x20 /* in the high byte of ticks: a third byte that is not the last */

/* The kinds in order of their numbers. */
static const uint8_t kinds[] BRIDGE_FLASH = {
    EVENT_TAP,        EVENT_TAP_DIFFERENCE, EVENT_LEVEL, EVENT_LEVEL_SHARPNESS,
    EVENT_LEVEL_RAMP, EVENT_SHARPNESS_RAMP, EVENT_END,   EVENT_RUN,
    EVENT_TAP_GAIN,   EVENT_WAIT,
};

#define KIND_SPECIAL 6 /* the number of the first special */

static uint32_t ticks(uint8_t high, uint16_t low) { return (uint32_t)high << 16 | low; }

uint32_t event_duration(const struct event *event) {
    return ticks(event->second_high, event->second);
}

void event_decoder_init(struct event_decoder *decoder) {
    __builtin_memset(decoder, 0, offsetof(struct event_decoder, past));
    decoder->free = decoder->past;
    decoder->event = &decoder->past[EVENT_PAST - 1];
    decoder->event->kind = EVENT_WAIT;
}

/* ---- Reading --------------------------------------------------------------------------- */

/* Seven bits a byte, the least significant first. Returns what goes beyond 16 bits. */
BRIDGE_OUTLINE static uint8_t take_literal(struct event_memory *memory, uint16_t *low) {
    uint8_t high = 0;
    uint8_t byte = event_memory_take(memory);
    uint16_t value = byte & 0x7F;
    if (byte & 0x80) {
        byte = event_memory_take(memory);
        value |= (uint16_t)((byte & 0x7F) << 7);
        if (byte & 0x80) {
            byte = event_memory_take(memory);
            value |= (uint16_t)((uint16_t)byte << 14);
            high = byte >> 2;
        }
    }
    *low = value;
    return high;
}

static void take_delta(struct event_decoder *decoder, struct event *event, uint8_t code,
                       struct event_memory *memory) {
    event->delta = 0;
    event->delta_high = 0;
    if (code >= BRIDGE_DELTA_SLOT) {
        event->delta = decoder->deltas[code - BRIDGE_DELTA_SLOT];
    } else if (code == BRIDGE_DELTA_LITERAL) {
        event->delta_high = take_literal(memory, &event->delta);
    } else if (code != BRIDGE_DELTA_ZERO) {
        uint32_t left = decoder->ends[code - BRIDGE_DELTA_LEVEL_END] - decoder->tick;
        if ((int32_t)left > 0) {
            event->delta = (uint16_t)left;
            event->delta_high = (uint8_t)(left >> 16);
        }
    }
}

/* The arguments of an event; returns its kind. Those of a special end where its length says. */
static uint8_t take_event(struct event *event, uint8_t operation, struct event_memory *memory) {
    uint8_t number = (uint8_t)(operation - BRIDGE_OP_TAP);
    uint8_t kind = EVENT_SKIPPED;
    uint8_t end = 0;
    if (operation == BRIDGE_OP_SPECIAL) {
        uint8_t code = event_memory_take(memory);
        end = (uint8_t)(memory->taken + (code >> 4));
        number = (uint8_t)(KIND_SPECIAL + (code & 0x0F));
    }
    if (number < sizeof kinds) {
        kind = bridge_flash_byte(&kinds[number]);
    }
    if (!(kind & EVENT_IS_BARE)) {
        event->first = event_memory_take(memory);
    }
    if (kind & EVENT_LASTS) {
        event->second_high = take_literal(memory, &event->second);
    } else if (kind == EVENT_TAP || kind == EVENT_LEVEL_SHARPNESS ||
               (kind == EVENT_RUN && memory->taken < end)) {
        event->second = event_memory_take(memory);
    }
    if (end) {
        if (memory->taken > end) {
            kind = EVENT_SKIPPED;
        }
        event_memory_seek(memory, end);
    }
    return kind;
}

/* ---- What later events refer to -------------------------------------------------------- */

static uint8_t next_slot(uint8_t slot, uint8_t count) {
    slot++;
    return slot < count ? slot : 0;
}

static void remember_delta(struct event_decoder *decoder, const struct event *event) {
    if (event->delta && !event->delta_high) {
        decoder->deltas[decoder->delta_next] = event->delta;
        decoder->delta_next = next_slot(decoder->delta_next, BRIDGE_DELTA_SLOTS);
    }
}

static void remember_value(struct event_decoder *decoder, const struct event *event) {
    if (!event->second_high) {
        struct value_slot *slot = &decoder->values[decoder->value_next];
        slot->kind = event->kind;
        slot->first = event->first;
        slot->second = event->second;
        decoder->value_next = next_slot(decoder->value_next, BRIDGE_VALUE_SLOTS);
    }
}

static struct event *behind(struct event_decoder *decoder, struct event *event) {
    return event + 1 < decoder->past + EVENT_PAST ? event + 1 : decoder->past;
}

/* ---- Events ---------------------------------------------------------------------------- */

static void resolve_difference(const struct event_decoder *decoder, struct event *event) {
    uint8_t difference = event->first;
    event->first = (uint8_t)(decoder->tap_intensity + (difference >> 4) - 8);
    event->second = (uint8_t)(decoder->tap_sharpness + (difference & 0x0F) * 4 - 32);
}

/* False over more events than there are. */
static bool begin_run(struct event_decoder *decoder, const struct event *event) {
    uint8_t events = (uint8_t)((event->first >> 6) + 1);
    if (events > decoder->past_count) {
        return false;
    }
    decoder->run_first = decoder->free - events;
    if (decoder->run_first < decoder->past) {
        decoder->run_first += EVENT_PAST;
    }
    decoder->is_repeating = true;
    decoder->run_count = (uint16_t)(((uint8_t)event->second << 6) + (event->first & 0x3F) + 1);
    return true;
}

/* An event, or the beginning of a run, from memory; false if it is not whole yet. */
static bool read_event(struct event_decoder *decoder, struct event_memory *memory) {
    struct event *event = decoder->free;
    memory->cursor = memory->read;
    memory->taken = 0;
    uint8_t operation = event_memory_take(memory);
    uint8_t delta = operation & 0x0F;
    operation >>= 4;
    take_delta(decoder, event, delta, memory);
    event->first = 0;
    event->second = 0;
    event->second_high = 0;
    if (operation < BRIDGE_VALUE_SLOTS) {
        const struct value_slot *slot = &decoder->values[operation];
        event->kind = slot->kind;
        event->first = slot->first;
        event->second = slot->second;
    } else {
        event->kind = take_event(event, operation, memory);
    }
    if (!event_memory_consume(memory)) {
        return false;
    }
    if ((event->delta_high | event->second_high) & LITERAL_TOO_LONG) {
        event->delta_high &= LITERAL_TOO_LONG - 1;
        event->kind = EVENT_SKIPPED;
    }
    if (delta == BRIDGE_DELTA_LITERAL) {
        remember_delta(decoder, event);
    }
    if (event->kind == EVENT_TAP_DIFFERENCE) {
        event->kind = EVENT_TAP;
        resolve_difference(decoder, event);
    }
    if (event->kind == EVENT_RUN) {
        if (begin_run(decoder, event)) {
            return true;
        }
        event->kind = EVENT_SKIPPED;
    }
    if (operation >= BRIDGE_OP_TAP && (event->kind & EVENT_NUMBER) < KIND_SPECIAL) {
        remember_value(decoder, event);
    }
    if (decoder->past_count < BRIDGE_RUN_EVENTS_MAX) {
        decoder->past_count++;
    }
    decoder->event = event;
    decoder->free = behind(decoder, event);
    return true;
}

/* The last events stay what they are while they are repeated. False at the end of the run. */
BRIDGE_OUTLINE static bool repeat(struct event_decoder *decoder) {
    struct event *event = behind(decoder, decoder->event);
    if (event == decoder->free) {
        if (decoder->run_count == 0) {
            decoder->is_repeating = false;
            return false;
        }
        decoder->run_count--;
        event = decoder->run_first;
    }
    if (event->kind == EVENT_SKIPPED) {
        event->kind = EVENT_WAIT;
    }
    decoder->event = event;
    return true;
}

BRIDGE_OUTLINE bool event_decoder_next(struct event_decoder *decoder, struct event_memory *memory) {
    if (!decoder->is_repeating || !repeat(decoder)) {
        if (!read_event(decoder, memory)) {
            return false;
        }
        if (decoder->is_repeating) {
            repeat(decoder);
        }
    }
    const struct event *event = decoder->event;
    decoder->tick += ticks(event->delta_high, event->delta);
    uint32_t end = decoder->tick;
    if (event->kind & EVENT_LASTS) {
        end += event_duration(event);
    }
    if (event->kind & EVENT_MOVES_LEVEL) {
        decoder->ends[0] = end;
    }
    if (event->kind & EVENT_MOVES_SHARPNESS) {
        decoder->ends[1] = end;
    }
    if (event->kind == EVENT_TAP) {
        decoder->tap_intensity = event->first;
        decoder->tap_sharpness = (uint8_t)event->second;
    }
    return true;
}
