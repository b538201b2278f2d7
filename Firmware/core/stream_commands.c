/* Messages about streams: OPEN to REVISE (SPEC 4.4, 6). */
#include "command.h"

#include "bridge_bytes.h"
#include "bridge_time.h"
#include "drv2605.h"

#define SCALE_MIN (1ul << (BRIDGE_SCALE_FRACTION_BITS - 4))
#define SCALE_MAX (255ul << BRIDGE_SCALE_FRACTION_BITS)

static void want_actuators(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (mask >> index & 1) {
            bridge->actuators[index].is_wanted = true;
        }
    }
}

/* At once: a stream that follows in the same breath must not find the old level still driven. */
static void release_actuators(struct bridge *bridge, uint16_t mask, uint32_t now_us) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct actuator *actuator = &bridge->actuators[index];
        if (!(mask >> index & 1)) {
            continue;
        }
        actuator->is_wanted = false;
        if (actuator->state == BRIDGE_ACTUATOR_AWAKE) {
            drv2605_rest(actuator, now_us);
        }
    }
}

void commands_close_stream(struct bridge *bridge, uint8_t index, uint32_t now_us) {
    struct stream *stream = &bridge->streams[index];
    if (stream->state == BRIDGE_STREAM_CLOSED) {
        return;
    }
    struct bridge_write dropped;
    writes_drop(&bridge->writes, stream->actuators, 0, &dropped);
    release_actuators(bridge, stream->actuators, now_us);
    stream_close(stream);
}

void commands_close_streams(struct bridge *bridge, uint16_t mask, uint32_t now_us) {
    for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
        if (bridge->streams[index].actuators & mask) {
            commands_close_stream(bridge, index, now_us);
        }
    }
}

struct stream *command_stream(struct bridge *bridge, struct command *command) {
    uint8_t index = command->payload[0];
    if (index >= BRIDGE_STREAM_COUNT) {
        command_reject(command, BRIDGE_REJECT_NO_STREAM, 0, BRIDGE_STREAM_COUNT - 1);
        return 0;
    }
    return &bridge->streams[index];
}

static struct stream *open_stream_of(struct bridge *bridge, struct command *command) {
    struct stream *stream = command_stream(bridge, command);
    if (stream && stream->state == BRIDGE_STREAM_CLOSED) {
        command_reject(command, BRIDGE_REJECT_NO_STREAM, 0, 0);
        return 0;
    }
    return stream;
}

static bool actuators_can_play(struct bridge *bridge, struct command *command, uint16_t mask) {
    if (mask == 0 || (mask & ~ALL_ACTUATORS)) {
        command_reject(command, BRIDGE_REJECT_NO_ACTUATOR, 1, ALL_ACTUATORS);
        return false;
    }
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        const struct actuator *actuator = &bridge->actuators[index];
        if (!(mask >> index & 1)) {
            continue;
        }
        if (actuator->state == BRIDGE_ACTUATOR_FAULT) {
            command_reject(command, BRIDGE_REJECT_FAULT, 1, index);
            return false;
        }
        if (!actuator->is_configured) {
            command_reject(command, BRIDGE_REJECT_UNCONFIGURED, 1, index);
            return false;
        }
    }
    return true;
}

/* The largest free stretch of event memory; streams lie in it in any order, without overlap. */
static uint16_t free_stretch(const struct bridge *bridge, uint16_t *start) {
    uint16_t best = 0;
    uint16_t from = 0;
    while (from < BRIDGE_EVENT_MEMORY) {
        uint16_t until = BRIDGE_EVENT_MEMORY;
        uint16_t after = BRIDGE_EVENT_MEMORY;
        for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
            const struct stream *stream = &bridge->streams[index];
            if (stream->state == BRIDGE_STREAM_CLOSED) {
                continue;
            }
            uint16_t at = (uint16_t)(stream->memory.bytes - bridge->event_memory);
            if (at >= from && at < until) {
                until = at;
                after = (uint16_t)(at + stream->memory.capacity);
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

void carry_out_open(struct bridge *bridge, struct command *command) {
    struct stream *stream = command_stream(bridge, command);
    uint16_t mask = bridge_u16(&command->payload[1]);
    uint16_t wanted = bridge_u16(&command->payload[3]);
    if (!stream || !actuators_can_play(bridge, command, mask)) {
        return;
    }
    commands_close_stream(bridge, command->payload[0], command->stamp_us);
    for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
        if (bridge->streams[index].actuators & mask) {
            command_reject(command, BRIDGE_REJECT_IN_USE, 1, index);
            return;
        }
    }
    uint16_t start = 0;
    uint16_t room = free_stretch(bridge, &start);
    uint16_t capacity = wanted ? wanted : room;
    if (capacity > room || capacity < BRIDGE_STREAM_MEMORY_MIN) {
        command_reject(command, BRIDGE_REJECT_MEMORY, 3,
                       room < BRIDGE_STREAM_MEMORY_MIN ? 0
                       : capacity > room               ? room
                                                       : BRIDGE_STREAM_MEMORY_MIN);
        return;
    }
    stream_open(stream, mask, &bridge->event_memory[start], capacity);
}

void carry_out_close(struct bridge *bridge, struct command *command) {
    if (command_stream(bridge, command)) {
        commands_close_stream(bridge, command->payload[0], command->stamp_us);
    }
}

static bool scale_is_good(struct command *command, uint8_t offset) {
    uint32_t scale = bridge_u32(&command->payload[offset]);
    if (scale < SCALE_MIN || scale > SCALE_MAX) {
        command_reject(command, BRIDGE_REJECT_RANGE, offset,
                       scale < SCALE_MIN ? SCALE_MIN : SCALE_MAX);
        return false;
    }
    return true;
}

/* Times beyond +- 2^30 us could not be told from the other side of the clock's wrap. */
static bool time_is_good(struct command *command, uint8_t offset, uint32_t time_us) {
    uint32_t ahead_us = time_us - command->stamp_us;
    if (ahead_us + BRIDGE_TIME_SPAN_US > 2 * BRIDGE_TIME_SPAN_US) {
        command_reject(command, BRIDGE_REJECT_TIME, offset, command->stamp_us);
        return false;
    }
    return true;
}

void carry_out_start(struct bridge *bridge, struct command *command) {
    struct stream *stream = open_stream_of(bridge, command);
    uint32_t time_us = bridge_u32(&command->payload[3]);
    if (command->payload[2] & BRIDGE_START_FLAG_RELATIVE) {
        time_us += command->stamp_us;
    }
    if (!stream || !scale_is_good(command, 7) || !time_is_good(command, 3, time_us)) {
        return;
    }
    if (stream->state != BRIDGE_STREAM_OPEN || stream->memory.is_split) {
        command_reject(command, BRIDGE_REJECT_IN_USE, 0, 0);
        return;
    }
    if (command->payload[1] != stream->generation) {
        command_reject(command, BRIDGE_REJECT_RANGE, 1, stream->generation);
        return;
    }
    stream_start(stream, time_us, bridge_u32(&command->payload[7]));
    want_actuators(bridge, stream->actuators);
}

void carry_out_scale(struct bridge *bridge, struct command *command) {
    struct stream *stream = open_stream_of(bridge, command);
    if (stream && scale_is_good(command, 5)) {
        stream_set_scale(stream, bridge_u32(&command->payload[1]),
                         bridge_u32(&command->payload[5]));
    }
}

void carry_out_events(struct bridge *bridge, struct command *command) {
    struct stream *stream = open_stream_of(bridge, command);
    if (!stream || command->payload[1] != stream->generation) {
        return; /* of an older generation: acknowledged and dropped */
    }
    uint8_t length = (uint8_t)(command->length - BRIDGE_EVENTS_SIZE);
    if (!event_memory_append(&stream->memory, &command->payload[BRIDGE_EVENTS_SIZE], length)) {
        command_reject(command, BRIDGE_REJECT_CREDIT, BRIDGE_EVENTS_SIZE,
                       event_memory_limit(&stream->memory));
    }
}

static bool revise_is_good(struct command *command, const struct stream *stream, uint32_t time_us,
                           uint8_t length) {
    if (command->payload[1] != (uint8_t)(stream->generation + 1)) {
        command_reject(command, BRIDGE_REJECT_RANGE, 1, (uint8_t)(stream->generation + 1));
        return false;
    }
    if (!time_is_good(command, 2, time_us)) {
        return false;
    }
    if (stream->memory.is_split && bridge_is_before(stream->revise_us, time_us)) {
        command_reject(command, BRIDGE_REJECT_PENDING, 2, stream->revise_us);
        return false;
    }
    uint16_t room = event_memory_room_after_split(&stream->memory);
    if (length > room) {
        command_reject(command, BRIDGE_REJECT_CREDIT, BRIDGE_REVISE_SIZE, room);
        return false;
    }
    return true;
}

void carry_out_revise(struct bridge *bridge, struct command *command) {
    struct stream *stream = open_stream_of(bridge, command);
    uint32_t time_us = bridge_u32(&command->payload[2]);
    uint8_t length = (uint8_t)(command->length - BRIDGE_REVISE_SIZE);
    if (!stream || !revise_is_good(command, stream, time_us, length)) {
        return;
    }
    stream_revise(stream, time_us, command->payload[6]);
    event_memory_append(&stream->memory, &command->payload[BRIDGE_REVISE_SIZE], length);
    want_actuators(bridge, stream->actuators);
}
