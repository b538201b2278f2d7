/*
 * A stream's event memory: a ring of event bytes in which, between a REVISE and its time, two
 * generations lie one behind the other (SPEC 6).
 */
#ifndef BRIDGE_EVENT_MEMORY_H
#define BRIDGE_EVENT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct event_memory {
    uint16_t capacity;
    uint16_t limit; /**< bytes that the newest generation may reach in all (SPEC 4.4) */
    uint8_t *bytes;
    uint8_t *end;
    uint8_t *read;     /**< the oldest byte */
    uint8_t *cursor;   /**< the byte that is taken next */
    uint16_t used;     /**< bytes held, of both generations */
    uint16_t readable; /**< those of the generation that plays: all, unless `is_split` */
    uint8_t taken;     /**< bytes up to `cursor`; between events, what the next has at least */
    bool is_split;     /**< a REVISE waits for its time */
};

/** An empty memory; all else in it is zero. */
void event_memory_init(struct event_memory *memory, uint8_t *bytes, uint16_t capacity);

/** Bytes that may still be appended. */
uint16_t event_memory_room(const struct event_memory *memory);

/** Appends bytes to the newest generation; false, and nothing done, if they do not fit. */
bool event_memory_append(struct event_memory *memory, const uint8_t *bytes, uint8_t length);

/** Begins a new generation behind the present one, or in place of one that waits. */
void event_memory_split(struct event_memory *memory);

/** Room for the first bytes of a new generation: a waiting one would make way for it. */
uint16_t event_memory_room_after_split(const struct event_memory *memory);

/** Drops what is left of the old generation. */
void event_memory_join(struct event_memory *memory);

/** Puts the cursor on the byte `offset` places behind the oldest. */
void event_memory_seek(struct event_memory *memory, uint8_t offset);

/** The byte at the cursor, which moves on; what lies beyond the readable ones means nothing. */
uint8_t event_memory_take(struct event_memory *memory);

/** Whether more is readable than was not enough the last time. */
static inline bool event_memory_has_news(const struct event_memory *memory) {
    return memory->readable >= memory->taken;
}

/** Frees the bytes before the cursor; false, and none freed, if not all of them were readable. */
bool event_memory_consume(struct event_memory *memory);

#endif
