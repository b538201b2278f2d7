#include "stream_writes.h"

#include "bridge_outline.h"
#include "bridge_time.h"
#include "drv2605.h"

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

bool stream_is_heard(const struct stream *stream) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (plays_on(stream, index) && !drv2605_is_ready(&stream->outputs[index])) {
            return false;
        }
    }
    return true;
}

bool stream_has_room(const struct stream *stream) { return writes_have_room(&stream->writes); }

bool stream_has_writes(const struct stream *stream) { return writes_count(&stream->writes); }

/* What the actuators show of a write. */
static void make_values(const struct stream *stream, struct bridge_write *write) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (plays_on(stream, index)) {
            write->values[index] = actuator_value(&stream->outputs[index], write->level);
        }
    }
}

void stream_show(struct stream *stream, uint8_t level, uint8_t kind) {
    stream = BRIDGE_HELD(stream);
    if (level == stream->shown && !(stream->waiting & STREAM_WAITS(MUST_SHOW))) {
        return;
    }
    struct bridge_writes *writes = BRIDGE_HELD(&stream->writes);
    struct bridge_write *write = writes_at(writes, writes->head);
    write->due_us = stream->at_us;
    write->kind = kind;
    write->level = level;
    make_values(stream, write);
    writes_push(writes);
    stream->waiting &= (uint8_t)~STREAM_WAITS(MUST_SHOW);
    stream->shown = level;
}

void stream_show_anew(struct stream *stream) {
    for (uint8_t at = stream->writes.tail; at != stream->writes.head;
         at = (uint8_t)(at + WRITE_SIZE)) {
        make_values(stream, BRIDGE_HELD(writes_at(&stream->writes, at)));
    }
}

bool stream_goes_beyond(struct stream *stream, uint32_t us) {
    struct bridge_writes *writes = &stream->writes;
    return writes_count(writes) && bridge_is_before(us, writes_newest(writes)->due_us);
}

void stream_take_back(struct stream *stream, uint32_t from_us) {
    const struct bridge_write *dropped = writes_drop(&stream->writes, from_us);
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
