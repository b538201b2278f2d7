#include "stream_writes.h"

#include "drv2605_registers.h"

const struct configuration *stream_configuration(const struct stream *stream) {
    uint8_t index = 0;
    while (index + 1 < BRIDGE_ACTUATOR_COUNT && !(stream->actuators >> index & 1)) {
        index++;
    }
    return &stream->output->actuators[index].configuration;
}

/* A write for each actuator of the stream. */
static void push(const struct stream *stream, struct bridge_write *write) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (!(stream->actuators >> index & 1)) {
            continue;
        }
        write->actuator = index;
        if (write->kind != WRITE_REGISTER) {
            write->value = actuator_value(&stream->output->actuators[index], write->level);
        }
        writes_push(stream->output->writes, write);
    }
}

void stream_push_register(const struct stream *stream, uint8_t reg, uint8_t value) {
    struct bridge_write write = {
        .due_us = stream->at_us, .reg = reg, .value = value, .kind = WRITE_REGISTER};
    push(stream, &write);
}

void stream_push_level(struct stream *stream, uint8_t level, uint8_t kind) {
    struct bridge_write write = {
        .due_us = stream->at_us, .reg = DRV2605_REG_RTP_INPUT, .level = level, .kind = kind};
    if (stream->in_effect) {
        stream_push_register(stream, DRV2605_REG_GO, 0);
    }
    push(stream, &write);
    if (stream->in_effect) {
        stream_push_register(stream, DRV2605_REG_MODE, DRV2605_MODE_RTP);
    }
    stream->in_effect = false;
    stream->must_show = false;
    stream->shown = level;
}

void stream_take_back(struct stream *stream, uint32_t from_us) {
    struct bridge_write dropped;
    if (!writes_drop(stream->output->writes, stream->actuators, &from_us, &dropped)) {
        return;
    }
    if (dropped.kind != WRITE_REGISTER) { /* the earliest level tells whether a tap sounds then */
        stream->waits[TASK_TAP_END] =
            dropped.kind == WRITE_TAP_END || dropped.kind == WRITE_TAP_IN_TAP;
        stream->due_us[TASK_TAP_END] = dropped.due_us;
    }
    stream->must_show = true;
    /* Whatever it was, the next level puts the chip back from a ROM effect to levels. */
    stream->in_effect = configuration_has_effects(stream_configuration(stream));
}
