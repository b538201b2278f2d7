#include "event_memory.h"

#include "bridge_outline.h"

void event_memory_init(struct event_memory *memory, uint8_t *bytes, uint16_t capacity) {
    *memory = (struct event_memory){.bytes = bytes, .capacity = capacity, .limit = capacity};
}

uint16_t event_memory_room(const struct event_memory *memory) {
    return (uint16_t)(memory->capacity - memory->used);
}

uint16_t event_memory_room_after_split(const struct event_memory *memory) {
    return (uint16_t)(memory->capacity - memory->readable);
}

/* Where the byte lies that is `offset` places behind the oldest. */
BRIDGE_OUTLINE
static uint16_t index_of(const struct event_memory *memory, uint16_t offset) {
    uint16_t to_end = (uint16_t)(memory->capacity - memory->read);
    return (uint16_t)(offset < to_end ? memory->read + offset : offset - to_end);
}

bool event_memory_append(struct event_memory *memory, const uint8_t *bytes, uint8_t length) {
    if (length > event_memory_room(memory)) {
        return false;
    }
    for (uint8_t index = 0; index < length; index++) {
        memory->bytes[index_of(memory, (uint16_t)(memory->used + index))] = bytes[index];
    }
    memory->used = (uint16_t)(memory->used + length);
    if (!memory->is_split) {
        memory->readable = memory->used;
    }
    return true;
}

void event_memory_split(struct event_memory *memory) {
    memory->used = memory->readable;
    memory->limit = event_memory_room(memory);
    memory->is_split = true;
}

void event_memory_join(struct event_memory *memory) {
    event_memory_consume(memory, memory->readable);
    memory->readable = memory->used;
    memory->is_split = false;
}

uint8_t event_memory_peek(const struct event_memory *memory, uint16_t offset) {
    return memory->bytes[index_of(memory, offset)];
}

void event_memory_consume(struct event_memory *memory, uint16_t length) {
    memory->read = index_of(memory, length);
    memory->used = (uint16_t)(memory->used - length);
    memory->readable = (uint16_t)(memory->readable - length);
    memory->limit = (uint16_t)(memory->limit + length);
}
