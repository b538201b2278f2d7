#include "event_memory.h"

void event_memory_init(struct event_memory *memory, uint8_t *bytes, uint16_t capacity) {
    *memory = (struct event_memory){.bytes = bytes, .capacity = capacity};
}

uint16_t event_memory_room(const struct event_memory *memory) {
    return (uint16_t)(memory->capacity - memory->used);
}

uint16_t event_memory_limit(const struct event_memory *memory) {
    return (uint16_t)(memory->total + event_memory_room(memory));
}

static uint16_t wrapped(const struct event_memory *memory, uint16_t offset) {
    uint32_t index = (uint32_t)memory->read + offset;
    return (uint16_t)(index < memory->capacity ? index : index - memory->capacity);
}

bool event_memory_append(struct event_memory *memory, const uint8_t *bytes, uint8_t length) {
    if (length > event_memory_room(memory)) {
        return false;
    }
    for (uint8_t index = 0; index < length; index++) {
        memory->bytes[wrapped(memory, memory->used)] = bytes[index];
        memory->used++;
    }
    memory->total = (uint16_t)(memory->total + length);
    return true;
}

void event_memory_split(struct event_memory *memory) {
    if (memory->is_split) {
        memory->used = memory->old_left;
    }
    memory->old_left = memory->used;
    memory->is_split = true;
    memory->total = 0;
}

uint16_t event_memory_room_after_split(const struct event_memory *memory) {
    return (uint16_t)(memory->capacity - (memory->is_split ? memory->old_left : memory->used));
}

void event_memory_join(struct event_memory *memory) {
    uint16_t left = memory->old_left;
    memory->is_split = false;
    memory->old_left = 0;
    event_memory_consume(memory, left);
}

uint16_t event_memory_readable(const struct event_memory *memory) {
    return memory->is_split ? memory->old_left : memory->used;
}

uint8_t event_memory_peek(const struct event_memory *memory, uint16_t offset) {
    return memory->bytes[wrapped(memory, offset)];
}

void event_memory_consume(struct event_memory *memory, uint16_t length) {
    memory->read = wrapped(memory, length);
    memory->used = (uint16_t)(memory->used - length);
    if (memory->is_split) {
        memory->old_left = (uint16_t)(memory->old_left - length);
    }
}
