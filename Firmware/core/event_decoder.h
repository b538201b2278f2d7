/*
 * The event code (SPEC 7): bytes of an event memory in, events on a tick line out. Knows no
 * clock and no actuator.
 */
#ifndef BRIDGE_EVENT_DECODER_H
#define BRIDGE_EVENT_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"
#include "event_memory.h"

/** In the order of operations from TAP on, then of specials. */
enum event_kind {
    EVENT_TAP,             /**< first: intensity, second: sharpness */
    EVENT_TAP_DIFFERENCE,  /**< never leaves the decoder: it becomes the tap it means */
    EVENT_LEVEL,           /**< first: level */
    EVENT_LEVEL_SHARPNESS, /**< first: level, second: sharpness */
    EVENT_LEVEL_RAMP,      /**< first: level, second: duration */
    EVENT_SHARPNESS_RAMP,  /**< first: sharpness, second: duration */
    EVENT_END,
    EVENT_RUN,      /**< never leaves the decoder: it becomes the events it repeats */
    EVENT_TAP_GAIN, /**< first: gain, second: duration */
    EVENT_EFFECT,   /**< first: ROM effect */
    EVENT_WAIT,
    EVENT_SKIPPED, /**< an unknown special, a RUN over too little, a literal too long */
};

struct event {
    uint8_t kind;
    uint8_t first;
    uint32_t second; /**< a sharpness, or a duration of 0 to BRIDGE_TICKS_MAX ticks */
};

struct value_slot {
    uint8_t kind;
    uint8_t first;
    uint16_t second;
};

struct past_event {
    struct event event;
    uint32_t delta;
};

struct event_decoder {
    uint32_t tick;      /**< of the newest event, since the segment began */
    uint32_t ends[2];   /**< ticks at which the ramps of level and sharpness end */
    uint16_t run_count; /**< how often a RUN has still to repeat its events */
    uint8_t run_events;
    uint8_t run_left;   /**< events left of the present repetition */
    uint8_t past_count; /**< events held in `past`; 4 to 7 as the ring goes round */
    uint8_t value_next;
    uint8_t delta_next;
    uint8_t tap_intensity;
    uint8_t tap_sharpness;
    uint16_t deltas[BRIDGE_DELTA_SLOTS];
    struct value_slot values[BRIDGE_VALUE_SLOTS];
    struct past_event past[BRIDGE_RUN_EVENTS_MAX]; /**< a ring */
};

/** Fresh state, as at the start of every segment. */
void event_decoder_init(struct event_decoder *decoder);

/**
 * The next event and its tick (`decoder->tick`). False if memory does not hold all of it yet:
 * then nothing has changed.
 */
bool event_decoder_next(struct event_decoder *decoder, struct event_memory *memory,
                        struct event *event);

/** How long an event lasts, in ticks. */
uint32_t event_duration(const struct event *event);

#endif
