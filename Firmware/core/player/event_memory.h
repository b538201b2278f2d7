/*
 * A stream's event memory: a ring of event bytes in which, between a REVISE and its time, two
 * generations lie one after the other (SPEC 6).
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
    uint8_t taken;     /**< bytes up to `cursor`; between events, the least size of the next */
    bool is_split;     /**< a REVISE waits for its time */
};

/** Sets up an empty memory, which is all zeros before. */
void event_memory_init(struct event_memory *memory, uint8_t *bytes, uint16_t capacity);

/** The number of bytes that may be appended. */
uint16_t event_memory_room(const struct event_memory *memory);

/** Appends bytes to the newest generation. Returns false, and does nothing, if they do not fit. */
bool event_memory_append(struct event_memory *memory, const uint8_t *bytes, uint8_t length);

/** Begins a new generation after the present one, or in place of one that waits. */
void event_memory_split(struct event_memory *memory);

/** The room for the first bytes of a new generation, which would replace one that waits. */
uint16_t event_memory_room_after_split(const struct event_memory *memory);

/** Drops what is left of the old generation. */
void event_memory_join(struct event_memory *memory);

/** Moves the cursor to the byte `offset` places after the oldest. */
void event_memory_seek(struct event_memory *memory, uint8_t offset);

/** Takes the byte at the cursor. A byte beyond the readable ones has no meaning. */
uint8_t event_memory_take(struct event_memory *memory);

/** True if more bytes are readable than the last time, when they were too few. */
static inline bool event_memory_has_news(const struct event_memory *memory) {
    return memory->readable >= memory->taken;
}

/** Frees the bytes before the cursor. Returns false, and frees none, if not all of them were
 * readable.
 */
bool event_memory_consume(struct event_memory *memory);

#endif
