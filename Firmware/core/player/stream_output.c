#include "stream_output.h"

#include "../driver/driver.h"
#include "../support/time.h"

/* True if a stream plays on an actuator. In a build with one actuator, every open stream plays on
   that actuator. */
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

bool stream_is_ready(const struct stream *stream) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (plays_on(stream, index) && !driver_is_ready(&stream->outputs[index])) {
            return false;
        }
    }
    return true;
}

bool stream_has_room(const struct stream *stream) { return write_queue_has_room(&stream->writes); }

bool stream_has_writes(const struct stream *stream) {
    return write_queue_count(&stream->writes) != 0;
}

/* Computes the register values of a write. */
static void make_values(const struct stream *stream, struct bridge_write *write) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (plays_on(stream, index)) {
            write->values[index] = actuator_value(&stream->outputs[index], write->level);
        }
    }
}

void stream_show(struct stream *stream, uint8_t level, uint8_t kind) {
    if (level == stream->shown && !(stream->pending & STREAM_MUST_SHOW)) {
        return;
    }
    struct bridge_write_queue *writes = &stream->writes;
    struct bridge_write *write = write_queue_at(writes, writes->head);
    write->due_us = stream->at_us;
    write->kind = kind;
    write->level = level;
    make_values(stream, write);
    write_queue_push(writes);
    stream->pending &= (uint8_t)~STREAM_MUST_SHOW;
    stream->shown = level;
}

void stream_remake_writes(struct stream *stream) {
    for (uint8_t at = stream->writes.tail; at != stream->writes.head;
         at = (uint8_t)(at + BRIDGE_WRITE_SIZE)) {
        make_values(stream, write_queue_at(&stream->writes, at));
    }
}

bool stream_goes_beyond(struct stream *stream, uint32_t us) {
    struct bridge_write_queue *writes = &stream->writes;
    return write_queue_count(writes) && bridge_is_before(us, write_queue_newest(writes)->due_us);
}

void stream_take_back(struct stream *stream, uint32_t from_us) {
    const struct bridge_write *dropped = write_queue_truncate(&stream->writes, from_us);
    if (!dropped) {
        return;
    }
    /* The kind of the earliest discarded write indicates whether a tap is playing at its time. */
    stream->pending &= (uint8_t)~STREAM_TAP_END_PENDING;
    stream->pending |= STREAM_MUST_SHOW;
    if (dropped->kind == BRIDGE_WRITE_TAP_END || dropped->kind == BRIDGE_WRITE_TAP_IN_TAP) {
        stream->pending |= STREAM_TAP_END_PENDING;
    }
    stream->due_us[STREAM_TASK_TAP_END] = dropped->due_us;
}
