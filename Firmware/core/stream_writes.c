#include "stream_writes.h"

#include "bridge_outline.h"
#include "bridge_time.h"

/* An open stream has the only actuator there is. */
static bool plays_on(const struct stream *stream, uint8_t index) {
    return actuator_is_in(stream->actuators, index);
}

const struct configuration *stream_configuration(const struct stream *stream) {
    uint8_t index = 0;
    while (index + 1 < BRIDGE_ACTUATOR_COUNT && !(stream->actuators >> index & 1)) {
        index++;
    }
    return &stream->outputs[index].configuration;
}

bool stream_has_room(const struct stream *stream) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (plays_on(stream, index) && !writes_have_room(&stream->outputs[index].writes)) {
            return false;
        }
    }
    return true;
}

bool stream_has_writes(const struct stream *stream) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (plays_on(stream, index) && writes_count(&stream->outputs[index].writes)) {
            return true;
        }
    }
    return false;
}

void stream_show(struct stream *stream, uint8_t level, uint8_t kind) {
    stream = BRIDGE_HELD(stream);
    if (level == stream->shown && !(stream->waiting & STREAM_WAITS(MUST_SHOW))) {
        return;
    }
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (!plays_on(stream, index)) {
            continue;
        }
        struct actuator *actuator = &stream->outputs[index];
        struct bridge_write *write = writes_at(&actuator->writes, actuator->writes.head);
        write->due_us = stream->at_us;
        write->kind = kind;
        write->level = level;
        write->value = actuator_value(actuator, level);
        write->actuator = index;
        writes_push(&actuator->writes);
    }
    stream->waiting &= (uint8_t)~STREAM_WAITS(MUST_SHOW);
    stream->shown = level;
}

bool stream_goes_beyond(const struct stream *stream, uint32_t us) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct bridge_writes *writes = &stream->outputs[index].writes;
        if (plays_on(stream, index) && writes_count(writes) &&
            bridge_is_before(us, writes_newest(writes)->due_us)) {
            return true;
        }
    }
    return false;
}

/* The earliest of what the actuators drop: they differ only where a chip was not ready. */
static const struct bridge_write *drop(const struct stream *stream, uint32_t from_us) {
    const struct bridge_write *earliest = 0;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (!plays_on(stream, index)) {
            continue;
        }
        const struct bridge_write *dropped = writes_drop(&stream->outputs[index].writes, from_us);
        if (!earliest || (dropped && bridge_is_before(dropped->due_us, earliest->due_us))) {
            earliest = dropped;
        }
    }
    return earliest;
}

void stream_take_back(struct stream *stream, uint32_t from_us) {
    const struct bridge_write *dropped = drop(stream, from_us);
    stream = BRIDGE_HELD(stream);
    if (!dropped) {
        return;
    }
    /* The earliest tells whether a tap sounds then. */
    stream->waiting &= (uint8_t)~STREAM_WAITS(TASK_TAP_END);
    stream->waiting |= STREAM_WAITS(MUST_SHOW);
    if (dropped->kind == WRITE_TAP_END || dropped->kind == WRITE_TAP_IN_TAP) {
        stream->waiting |= STREAM_WAITS(TASK_TAP_END);
    }
    stream->due_us[TASK_TAP_END] = dropped->due_us;
}
