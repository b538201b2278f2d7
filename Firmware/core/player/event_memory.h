/*
 * The event memory of a stream: a ring buffer of event bytes. While a REVISE is pending, the ring
 * contains two generations, one after the other (SPEC 6).
 */
#ifndef BRIDGE_EVENT_MEMORY_H
#define BRIDGE_EVENT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct event_memory {
    uint16_t capacity;
    uint16_t limit; /**< the event_limit of the newest generation, in bytes (SPEC 4.4) */
    uint8_t *bytes;
    uint8_t *end;
    uint8_t *read;     /**< the oldest byte */
    uint8_t *cursor;   /**< the next byte to be taken */
    uint16_t used;     /**< number of bytes of both generations */
    uint16_t readable; /**< number of bytes of the generation that is playing: all bytes, unless
                            `is_split` */
    uint8_t taken; /**< number of bytes from `read` to `cursor`; between events, the minimum size of
                        the next event */
    bool is_split; /**< the ring holds a second generation: a REVISE is pending */
};

/** Initializes an empty memory. The struct must be all zeros. */
void event_memory_init(struct event_memory *memory, uint8_t *bytes, uint16_t capacity);

/** Returns the number of bytes that may be appended. */
uint16_t event_memory_room(const struct event_memory *memory);

/** Appends bytes to the newest generation. If the bytes do not fit, returns false and has no
    effect. */
bool event_memory_append(struct event_memory *memory, const uint8_t *bytes, uint8_t length);

/** Begins a new generation after the generation that is playing. The new generation replaces a
    pending generation. */
void event_memory_split(struct event_memory *memory);

/** Returns the number of bytes that may be appended to a new generation that replaces a pending
    generation. */
uint16_t event_memory_room_after_split(const struct event_memory *memory);

/** Discards the remaining bytes of the old generation. */
void event_memory_join(struct event_memory *memory);

/** Moves the cursor to the byte at an offset from the oldest byte. */
void event_memory_seek(struct event_memory *memory, uint8_t offset);

/** Takes the byte at the cursor. If the cursor is beyond the readable bytes, the returned value has
    no meaning. */
uint8_t event_memory_take(struct event_memory *memory);

/** True if more bytes have become readable since an attempt last found too few bytes. */
static inline bool event_memory_has_news(const struct event_memory *memory) {
    return memory->readable >= memory->taken;
}

/** Frees the bytes before the cursor. If some of the bytes were not readable, returns false and
    frees no bytes. */
bool event_memory_consume(struct event_memory *memory);

#endif
