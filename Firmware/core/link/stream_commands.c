#include "stream_commands.h"

#include "../driver/driver.h"
#include "../support/bytes.h"
#include "../support/compiler.h"
#include "../support/time.h"
#include "actuator_commands.h"
#include "message.h"
#include "reject.h"

#define SCALE_MIN (1ul << (BRIDGE_SCALE_FRACTION_BITS - 4))
#define SCALE_MAX (255ul << BRIDGE_SCALE_FRACTION_BITS)

static void wake_actuators(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (actuator_is_in(mask, index)) {
            bridge->actuators[index].wake_requested = true;
        }
    }
}

/* Brings actuators to rest immediately, so that the next stream does not start from the old
   level. */
static void release_actuators(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        struct actuator *actuator = &bridge->actuators[index];
        if (!actuator_is_in(mask, index)) {
            continue;
        }
        actuator->wake_requested = false;
        if (actuator->state == BRIDGE_ACTUATOR_AWAKE) {
            driver_rest(actuator, message_time(bridge));
        }
    }
}

void handle_close(struct bridge *bridge, struct stream *stream) {
    if (stream->state == BRIDGE_STREAM_CLOSED) {
        return;
    }
    release_actuators(bridge, stream->actuators);
    write_queue_clear(&stream->writes);
    stream_close(stream);
}

void commands_close_streams(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        if (BRIDGE_ACTUATOR_COUNT == 1 || (bridge->streams[index].actuators & mask)) {
            handle_close(bridge, &bridge->streams[index]);
        }
    }
}

/* If an actuator is faulty or not configured, rejects the message and returns true. */
static bool reject_if_unplayable(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        const struct actuator *actuator = &bridge->actuators[index];
        bool is_faulty = actuator->state == BRIDGE_ACTUATOR_FAULT;
        if (actuator_is_in(mask, index) && (is_faulty || !actuator->is_configured)) {
            uint8_t code = is_faulty ? BRIDGE_REJECT_FAULT : BRIDGE_REJECT_UNCONFIGURED;
            command_reject(bridge, code, 1, index);
            return true;
        }
    }
    return false;
}

/* Finds the largest free part of the event memory, and returns its size. The memories of the open
   streams can be in any order and do not overlap. */
static uint16_t free_range(const struct bridge *bridge, const struct stream *stream,
                           uint16_t *start) {
    uint16_t best = 0;
    uint16_t from = 0;
    while (from < BRIDGE_EVENT_MEMORY) {
        uint16_t until = BRIDGE_EVENT_MEMORY;
        uint16_t after = BRIDGE_EVENT_MEMORY;
        for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
            const struct stream *other = &bridge->streams[index];
            if (other == stream || other->state == BRIDGE_STREAM_CLOSED) {
                continue;
            }
            uint16_t at = (uint16_t)(other->memory.bytes - bridge->event_memory);
            if (at >= from && at < until) {
                until = at;
                after = (uint16_t)(at + other->memory.capacity);
            }
        }
        if (until - from > best) {
            best = (uint16_t)(until - from);
            *start = from;
        }
        from = after;
    }
    return best;
}

void handle_open(struct bridge *bridge, const uint8_t *payload, struct stream *stream) {
    uint16_t mask = command_read_actuators(bridge, 1);
    if (!mask || reject_if_unplayable(bridge, mask)) {
        return;
    }
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        const struct stream *other = &bridge->streams[index];
        if (other != stream && (other->actuators & mask)) {
            command_reject(bridge, BRIDGE_REJECT_IN_USE, 1, index);
            return;
        }
    }
    uint16_t start = 0;
    uint16_t room = free_range(bridge, stream, &start);
    uint16_t wanted = bridge_u16(&payload[3]);
    uint16_t capacity = wanted ? wanted : room;
    if (capacity > room || capacity < BRIDGE_STREAM_MEMORY_MIN) {
        uint16_t limit = capacity > room ? room : BRIDGE_STREAM_MEMORY_MIN;
        command_reject(bridge, BRIDGE_REJECT_MEMORY, 3,
                       room < BRIDGE_STREAM_MEMORY_MIN ? 0 : limit);
        return;
    }
    handle_close(bridge, stream); /* only now, when the message can no longer be rejected */
    stream_open(stream, mask, &bridge->event_memory[start], capacity);
}

/* Reads the scale in the payload. If the scale is out of range, rejects the message and returns
   0. */
static uint32_t read_scale(struct bridge *bridge, uint8_t offset) {
    uint32_t scale = bridge_u32(&message_payload(bridge)[offset]);
    if (scale < SCALE_MIN) {
        command_reject_wide(bridge, BRIDGE_REJECT_RANGE, offset, SCALE_MIN);
        return 0;
    }
    if (scale > SCALE_MAX) {
        command_reject_wide(bridge, BRIDGE_REJECT_RANGE, offset, SCALE_MAX);
        return 0;
    }
    return scale;
}

/* If a time is more than 2^30 us in the past, rejects the message and returns true: after the clock
   has wrapped, that time would appear to be in the future. */
static bool reject_if_too_early(struct bridge *bridge, uint8_t offset, uint32_t time_us,
                                uint32_t now_us) {
    if (bridge_is_before(time_us + BRIDGE_TIME_SPAN_US, now_us)) {
        command_reject_wide(bridge, BRIDGE_REJECT_TIME, offset, now_us);
        return true;
    }
    return false;
}

void handle_start(struct bridge *bridge, const uint8_t *payload, struct stream *stream,
                  uint32_t now_us) {
    uint32_t time_us = bridge_u32(&payload[3]);
    if (payload[2] & BRIDGE_START_FLAG_RELATIVE) {
        time_us += now_us;
    }
    uint32_t scale = read_scale(bridge, 7);
    if (!scale || reject_if_too_early(bridge, 3, time_us, now_us)) {
        return;
    }
    if (stream->state != BRIDGE_STREAM_OPEN || stream->memory.is_split) {
        command_refuse(bridge, BRIDGE_REJECT_IN_USE);
    } else if (payload[1] != stream->generation) {
        command_reject(bridge, BRIDGE_REJECT_RANGE, 1, stream->generation);
    } else {
        stream_start(stream, time_us, scale);
        wake_actuators(bridge, stream->actuators);
    }
}

void handle_scale(struct bridge *bridge, const uint8_t *payload, struct stream *stream) {
    uint32_t scale = read_scale(bridge, 5);
    if (scale) {
        stream_set_scale(stream, bridge_u32(&payload[1]), scale);
    }
}

void handle_events(struct bridge *bridge, const uint8_t *payload, struct stream *stream) {
    uint8_t length = message_rest(bridge, BRIDGE_EVENTS_SIZE);
    if (payload[1] != stream->generation) {
        return; /* events of an older generation are acknowledged and discarded */
    }
    if (!event_memory_append(&stream->memory, &payload[BRIDGE_EVENTS_SIZE], length)) {
        command_reject(bridge, BRIDGE_REJECT_CREDIT, BRIDGE_EVENTS_SIZE, stream->memory.limit);
    }
}

void handle_revise(struct bridge *bridge, const uint8_t *payload, struct stream *stream,
                   uint32_t now_us) {
    stream = BRIDGE_OPTIMIZER_HIDE(stream);
    uint32_t time_us = bridge_u32(&payload[2]);
    uint8_t length = message_rest(bridge, BRIDGE_REVISE_SIZE);
    uint8_t generation = (uint8_t)(stream->generation + 1);
    uint16_t room = event_memory_room_after_split(&stream->memory);
    if (payload[1] != generation) {
        command_reject(bridge, BRIDGE_REJECT_RANGE, 1, generation);
        return;
    }
    if (reject_if_too_early(bridge, 2, time_us, now_us)) {
        return;
    }
    if (stream->memory.is_split && bridge_is_before(stream->due_us[STREAM_TASK_REVISE], time_us)) {
        command_reject_wide(bridge, BRIDGE_REJECT_PENDING, 2, stream->due_us[STREAM_TASK_REVISE]);
    } else if (length > room) {
        command_reject(bridge, BRIDGE_REJECT_CREDIT, BRIDGE_REVISE_SIZE, room);
    } else {
        stream_revise(stream, time_us, payload[6], payload[7]);
        event_memory_append(&stream->memory, &payload[BRIDGE_REVISE_SIZE], length);
        wake_actuators(bridge, stream->actuators);
    }
}
