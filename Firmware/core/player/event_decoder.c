#include "event_decoder.h"

#include <stddef.h>

#include "../support/compiler.h"
#include "../support/flash.h"

/* A bit in the high byte of ticks: the third byte of the literal was not the last. */
#define LITERAL_TOO_LONG 0x20

#define OP_FIRST BRIDGE_OP_LEVEL_SHARPNESS_ROUND

/* The event kinds in the order of their operations, followed by the kinds of specials. */
static const uint8_t kinds[] BRIDGE_FLASH = {
    EVENT_LEVEL_SHARPNESS,
    EVENT_TAP,
    EVENT_TAP,
    EVENT_LEVEL,
    EVENT_LEVEL_SHARPNESS,
    EVENT_LEVEL_RAMP,
    EVENT_SHARPNESS_RAMP,
    EVENT_END,
    EVENT_SKIPPED,
    EVENT_TAP_GAIN,
    EVENT_WAIT,
};

#define NUMBER_SPECIAL (BRIDGE_OP_SPECIAL - OP_FIRST) /* the number of the first special */

static const uint8_t round_values[] BRIDGE_FLASH = {BRIDGE_ROUND_VALUES};
static const uint16_t deltas_at_first[] BRIDGE_FLASH = {BRIDGE_DELTAS_AT_FIRST};

static uint32_t ticks(uint8_t high, uint16_t low) { return (uint32_t)high << 16 | low; }

uint32_t event_duration(const struct event *event) {
    return ticks(event->second_high, event->second);
}

void event_decoder_init(struct event_decoder *decoder) {
    __builtin_memset(decoder, 0, offsetof(struct event_decoder, deltas));
    decoder->event->kind = EVENT_WAIT;
    decoder->values[BRIDGE_VALUE_SLOTS - 1].kind = EVENT_LEVEL;
    for (uint8_t slot = 0; slot < BRIDGE_DELTA_SLOTS; slot++) {
        decoder->deltas[slot] = bridge_flash_word(&deltas_at_first[slot]);
    }
}

/* ---- Reading --------------------------------------------------------------------------- */

/* Takes a number with seven bits per byte, least significant byte first. Stores the low 16 bits,
   and returns the higher bits. */
static uint8_t take_literal(struct event_memory *memory, uint16_t *low) {
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

/* Takes the arguments of an event, and returns its kind. The first byte of a special contains its
   length. */
static uint8_t take_event(struct event *event, uint8_t operation, struct event_memory *memory) {
    uint8_t number = (uint8_t)(operation - OP_FIRST);
    uint8_t kind = EVENT_SKIPPED;
    uint8_t end = 0;
    if (operation == BRIDGE_OP_SPECIAL) {
        uint8_t code = event_memory_take(memory);
        end = (uint8_t)(memory->taken + (code >> 4));
        number = (uint8_t)(NUMBER_SPECIAL + (code & 0x0F));
    }
    if (number < sizeof kinds) {
        kind = bridge_flash_byte(&kinds[number]);
    }
    if (!(kind & EVENT_IS_BARE)) {
        event->first = event_memory_take(memory);
    }
    if (kind & EVENT_LASTS) {
        event->second_high = take_literal(memory, &event->second);
    } else if (operation == BRIDGE_OP_TAP_ROUND || operation == BRIDGE_OP_LEVEL_SHARPNESS_ROUND) {
        uint8_t both = event->first;
        event->first = bridge_flash_byte(&round_values[both >> 4]);
        event->second = bridge_flash_byte(&round_values[both & 0x0F]);
    } else if (operation == BRIDGE_OP_TAP || operation == BRIDGE_OP_LEVEL_SHARPNESS) {
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

/* ---- Values for later events ----------------------------------------------------------- */

static uint8_t next_slot(uint8_t slot, uint8_t count) {
    slot++;
    return slot < count ? slot : 0;
}

/* Stores a literal delta in the next slot. Returns the code that repeats the delta; LITERAL if no
   code does. */
static uint8_t remember_delta(struct event_decoder *decoder, const struct event *event) {
    if (!event->delta || event->delta_high) {
        return BRIDGE_DELTA_LITERAL;
    }
    uint8_t slot = decoder->delta_next;
    decoder->deltas[slot] = event->delta;
    decoder->delta_next = next_slot(slot, BRIDGE_DELTA_SLOTS);
    return (uint8_t)(BRIDGE_DELTA_SLOT + slot);
}

/* Stores an event in the next slot. Returns the operation that repeats the event; SPECIAL if no
   operation does. */
static uint8_t remember_value(struct event_decoder *decoder, const struct event *event) {
    if (event->second_high || event->kind == EVENT_SKIPPED) {
        return BRIDGE_OP_SPECIAL;
    }
    uint8_t index = decoder->value_next;
    struct value_slot *slot = &decoder->values[index];
    slot->kind = event->kind;
    slot->first = event->first;
    slot->second = event->second;
    decoder->value_next = next_slot(index, BRIDGE_VALUE_SLOTS);
    return index;
}

/* ---- Events ---------------------------------------------------------------------------- */

/* Takes the first byte of the next event from memory or, during a copy, from the history. */
static uint8_t take_head(struct event_decoder *decoder, struct event_memory *memory) {
    if (!decoder->copies) {
        uint8_t head = event_memory_take(memory);
        if (head < BRIDGE_HEAD_COPY) {
            return head;
        }
        uint8_t source = event_memory_take(memory);
        if (!event_memory_consume(memory)) {
            return 0;
        }
        memory->taken = 0;
        decoder->distance = (uint8_t)(source % BRIDGE_HISTORY + 1);
        decoder->copies = (uint8_t)(source / BRIDGE_HISTORY * (0x100 - BRIDGE_HEAD_COPY) +
                                    (head - BRIDGE_HEAD_COPY) + BRIDGE_COPY_MIN);
    }
    decoder->copies--;
    return decoder->history[(uint8_t)(decoder->past - decoder->distance) % BRIDGE_HISTORY];
}

/* Reads an event from memory. If the event is not complete yet, returns false without changing the
   slots and the history. */
static bool read_event(struct event_decoder *decoder, struct event_memory *memory) {
    struct event *event = decoder->event;
    memory->cursor = memory->read;
    memory->taken = 0;
    uint8_t head = take_head(decoder, memory);
    uint8_t operation = head >> 4;
    uint8_t delta = head & 0x0F;
    bool ends = head >= BRIDGE_HEAD_END_AT_LEVEL_END;
    if (head == BRIDGE_HEAD_END_LITERAL) {
        delta = BRIDGE_DELTA_LITERAL;
    }
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
        event->kind = ends ? (uint8_t)EVENT_END : take_event(event, operation, memory);
    }
    if (!event_memory_consume(memory)) {
        event->kind = EVENT_WAIT; /* an incomplete END must not end the segment */
        return false;
    }
    if ((event->delta_high | event->second_high) & LITERAL_TOO_LONG) {
        event->delta_high &= LITERAL_TOO_LONG - 1;
        event->kind = EVENT_SKIPPED;
    }
    if (delta == BRIDGE_DELTA_LITERAL) {
        delta = remember_delta(decoder, event);
    }
    if (operation >= OP_FIRST && operation < BRIDGE_OP_SPECIAL) {
        operation = remember_value(decoder, event);
    }
    if (operation < BRIDGE_VALUE_SLOTS && delta != BRIDGE_DELTA_LITERAL) {
        decoder->history[decoder->past % BRIDGE_HISTORY] = (uint8_t)(operation << 4 | delta);
        decoder->past++;
    }
    return true;
}

BRIDGE_NOINLINE bool event_decoder_next(struct event_decoder *decoder,
                                        struct event_memory *memory) {
    if (!read_event(decoder, memory)) {
        return false;
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
    return true;
}
