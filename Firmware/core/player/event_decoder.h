/*
 * A decoder of the event code (SPEC 7), which converts the bytes of an event memory to events with
 * ticks. The decoder is independent of clocks and actuators.
 */
#ifndef BRIDGE_EVENT_DECODER_H
#define BRIDGE_EVENT_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "../../protocol/bridge_protocol.h"
#include "event_memory.h"

/** Traits of an event, which are added to the four-bit number of the event's kind. */
enum event_trait {
    EVENT_IS_BARE = 0x10, /**< has no `first` */
    EVENT_LASTS = 0x20,   /**< `second` is a duration */
    EVENT_MOVES_LEVEL = 0x40,
    EVENT_MOVES_SHARPNESS = 0x80,
};

/** Kinds of events: a number and traits. */
enum event_kind {
    EVENT_TAP = 0, /**< first: intensity, second: sharpness */
    /** first: level */
    EVENT_LEVEL = 2 | EVENT_MOVES_LEVEL,
    /** first: level, second: sharpness */
    EVENT_LEVEL_SHARPNESS = 3 | EVENT_MOVES_LEVEL | EVENT_MOVES_SHARPNESS,
    /** first: level, second: duration */
    EVENT_LEVEL_RAMP = 4 | EVENT_MOVES_LEVEL | EVENT_LASTS,
    /** first: sharpness, second: duration */
    EVENT_SHARPNESS_RAMP = 5 | EVENT_MOVES_SHARPNESS | EVENT_LASTS,
    EVENT_END = 6 | EVENT_IS_BARE | EVENT_MOVES_LEVEL,
    EVENT_TAP_GAIN = 8 | EVENT_LASTS, /**< first: gain, second: duration */
    EVENT_WAIT = 9 | EVENT_IS_BARE,
    /** An unknown special, or a literal that is too long. */
    EVENT_SKIPPED = 10 | EVENT_IS_BARE,
};

/** An event. Ticks have 21 bits: the low 16 bits, and the others in a separate byte. */
struct event {
    uint8_t kind; /**< enum event_kind */
    uint8_t first;
    uint16_t second; /**< a sharpness, or a duration */
    uint8_t second_high;
    uint8_t delta_high;
    uint16_t delta; /**< ticks since the previous event */
};

struct value_slot {
    uint8_t kind;
    uint8_t first;
    uint16_t second;
};

struct event_decoder {
    uint32_t tick;         /**< the tick of the newest event, counted from the segment's start */
    struct event event[1]; /**< the newest event */
    uint32_t ends[2];      /**< ticks at which the ramps of level and sharpness end */
    uint8_t copies;        /**< number of events that must still be copied */
    uint8_t distance;      /**< the distance from the end of `history` back to the events to copy */
    uint8_t past;          /**< number of events stored in `history`, modulo 256 */
    uint8_t value_next;
    uint8_t delta_next;
    struct value_slot values[BRIDGE_VALUE_SLOTS];
    uint8_t history[BRIDGE_HISTORY]; /**< a ring of first bytes that repeat events */
    uint16_t deltas[BRIDGE_DELTA_SLOTS];
};

/** Sets the decoder to its state at the start of a segment, in which the newest event is a WAIT. */
void event_decoder_init(struct event_decoder *decoder);

/** Advances to the next event, and stores the event in `decoder->event` and its tick in
    `decoder->tick`. If the memory does not contain the whole event yet, returns false; the tick is
    then still the tick of the newest event, which has become a WAIT. */
bool event_decoder_next(struct event_decoder *decoder, struct event_memory *memory);

/** Returns the duration, in ticks, of an event that has one. */
uint32_t event_duration(const struct event *event);

#endif
