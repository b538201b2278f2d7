#include "event_memory.h"

#include "../support/compiler.h"

void event_memory_init(struct event_memory *memory, uint8_t *bytes, uint16_t capacity) {
    memory->bytes = bytes;
    memory->read = bytes;
    memory->end = bytes + capacity;
    memory->capacity = capacity;
    memory->limit = capacity;
}

uint16_t event_memory_room(const struct event_memory *memory) {
    return (uint16_t)(memory->capacity - memory->used);
}

uint16_t event_memory_room_after_split(const struct event_memory *memory) {
    return (uint16_t)(memory->capacity - memory->readable);
}

/* Returns the address of the byte at an offset from the oldest byte. */
BRIDGE_NOINLINE static uint8_t *byte_at(const struct event_memory *memory, uint16_t offset) {
    uint16_t to_end = (uint16_t)(memory->end - memory->read);
    return offset < to_end ? memory->read + offset : memory->bytes + (uint16_t)(offset - to_end);
}

/* Copies four bytes per iteration. The library function, which counts with 16 bits on an AVR, would
   take too long at the end of a frame. */
static void copy(uint8_t *to, const uint8_t *from, uint8_t count) {
    for (; count >= 4; count = (uint8_t)(count - 4)) {
        *to++ = *from++;
        *to++ = *from++;
        *to++ = *from++;
        *to++ = *from++;
    }
    for (; count; count--) {
        *to++ = *from++;
    }
}

bool event_memory_append(struct event_memory *memory, const uint8_t *bytes, uint8_t length) {
    if (length > event_memory_room(memory)) {
        return false;
    }
    uint8_t *at = byte_at(memory, memory->used);
    memory->used = (uint16_t)(memory->used + length);
    if (!memory->is_split) {
        memory->readable = memory->used;
    }
    uint16_t to_end = (uint16_t)(memory->end - at);
    uint8_t part = (uint8_t)(length < to_end ? length : to_end);
    copy(at, bytes, part);
    copy(memory->bytes, bytes + part, (uint8_t)(length - part));
    return true;
}

/* The new generation begins after the readable bytes, and replaces a pending generation. The limit
   of the new generation is counted from its first byte (SPEC 4.4). */
void event_memory_split(struct event_memory *memory) {
    memory->used = memory->readable;
    memory->limit = event_memory_room(memory);
    memory->is_split = true;
}

/* Joins the generations. The bytes of the old generation become free, which raises the limit of the
   new generation. */
void event_memory_join(struct event_memory *memory) {
    memory->read = byte_at(memory, memory->readable);
    memory->limit = (uint16_t)(memory->limit + memory->readable);
    memory->used = (uint16_t)(memory->used - memory->readable);
    memory->readable = memory->used;
    memory->is_split = false;
    memory->taken = 1;
}

void event_memory_seek(struct event_memory *memory, uint8_t offset) {
    memory->cursor = byte_at(memory, offset);
    memory->taken = offset;
}

uint8_t event_memory_take(struct event_memory *memory) {
    uint8_t *at = memory->cursor;
    uint8_t byte = *at++;
    if (at == memory->end) {
        at = memory->bytes;
    }
    memory->cursor = at;
    memory->taken++;
    return byte;
}

/* Frees the taken bytes. After a failure, `taken` is the minimum number of bytes that the next
   attempt needs, so that event_memory_has_news returns true only after more bytes have been
   appended. */
bool event_memory_consume(struct event_memory *memory) {
    memory = BRIDGE_OPTIMIZER_HIDE(memory);
    uint8_t taken = memory->taken;
    memory->taken = 1;
    if (taken > memory->readable) {
        memory->taken = (uint8_t)(memory->readable + 1);
        return false;
    }
    memory->read = memory->cursor;
    memory->used = (uint16_t)(memory->used - taken);
    memory->readable = (uint16_t)(memory->readable - taken);
    memory->limit = (uint16_t)(memory->limit + taken);
    return true;
}
