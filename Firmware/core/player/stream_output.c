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

bool stream_has_band(const struct stream *stream) {
    for (uint8_t index = 0; BRIDGE_HAS_BAND && index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (plays_on(stream, index) && driver_has_band(&stream->outputs[index].configuration)) {
            return true;
        }
    }
    return false;
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

#if BRIDGE_HAS_BAND
/* Returns the tone of a write (struct bridge_write): the tone of the newest event if that event is
   a tap, or otherwise the tone of the ramp. */
static uint8_t tone_of(const struct stream *stream, uint8_t kind) {
    uint8_t sharpness = (uint8_t)stream->decoder.event->second;
    if (kind != BRIDGE_WRITE_TAP && kind != BRIDGE_WRITE_TAP_IN_TAP) {
        sharpness = ramp_value(&stream->sharpness, stream->at_us);
    }
    return BRIDGE_ACTUATOR_COUNT > 1 ? sharpness
                                     : driver_tone(&stream->outputs->configuration, sharpness);
}

/* Returns the flag of a write if its frequency must be written, and remembers the frequency. The
   frequency is also written at each onset, so that the effect of a bus error does not last. */
static uint8_t needs_tone(struct stream *stream, uint8_t level, uint8_t kind) {
    if (!level || !stream_has_band(stream)) {
        return 0;
    }
    uint8_t tone = tone_of(stream, kind);
    if (tone == stream->tone && stream->shown && !(stream->pending & STREAM_MUST_SHOW)) {
        return 0;
    }
    stream->tone = tone;
    return BRIDGE_WRITE_NEEDS_TONE;
}
#endif

void stream_show(struct stream *stream, uint8_t level, uint8_t kind) {
    uint8_t flag = 0;
#if BRIDGE_HAS_BAND
    flag = needs_tone(stream, level, kind);
#endif
    if (level == stream->shown && !flag && !(stream->pending & STREAM_MUST_SHOW)) {
        return;
    }
    struct bridge_write_queue *writes = &stream->writes;
    struct bridge_write *write = write_queue_at(writes, writes->head);
    write->due_us = stream->at_us;
    write->kind = kind | flag;
    write->level = level;
#if BRIDGE_HAS_BAND
    write->tone = stream->tone;
#endif
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
    uint8_t reason = write_reason(dropped->kind);
    if (reason == BRIDGE_WRITE_TAP_END || reason == BRIDGE_WRITE_TAP_IN_TAP) {
        stream->pending |= STREAM_TAP_END_PENDING;
    }
    stream->due_us[STREAM_TASK_TAP_END] = dropped->due_us;
}
