#include "stream_writes.h"

#include "drv2605_registers.h"

const struct configuration *stream_configuration(const struct stream *stream,
                                                 const struct stream_output *output) {
    uint8_t index = 0;
    while (!(stream->actuators >> index & 1)) {
        index++;
    }
    return &output->actuators[index].configuration;
}

static void push(struct stream *stream, const struct stream_output *output,
                 struct bridge_write write) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (!(stream->actuators >> index & 1)) {
            continue;
        }
        write.actuator = index;
        if (write.kind != WRITE_REGISTER) {
            write.value = actuator_value(&output->actuators[index], write.level);
        }
        writes_push(output->writes, &write);
    }
}

void stream_push_register(struct stream *stream, const struct stream_output *output,
                          uint32_t due_us, uint8_t reg, uint8_t value) {
    push(stream, output,
         (struct bridge_write){
             .due_us = due_us, .reg = reg, .value = value, .kind = WRITE_REGISTER});
}

void stream_push_level(struct stream *stream, const struct stream_output *output, uint32_t due_us,
                       uint8_t level, uint8_t kind) {
    if (stream->in_effect) {
        stream_push_register(stream, output, due_us, DRV2605_REG_GO, 0);
    }
    push(stream, output,
         (struct bridge_write){
             .due_us = due_us, .reg = DRV2605_REG_RTP_INPUT, .level = level, .kind = kind});
    if (stream->in_effect) {
        stream_push_register(stream, output, due_us, DRV2605_REG_MODE, DRV2605_MODE_RTP);
        stream->in_effect = false;
    }
    stream->shown = level;
    stream->must_show = false;
}

uint8_t stream_level_at(const struct stream *stream, uint32_t at_us) {
    return stream->state == BRIDGE_STREAM_DRY ? 0 : ramp_value(&stream->level, at_us);
}

void stream_show_level(struct stream *stream, const struct stream_output *output, uint32_t at_us) {
    uint8_t level = stream_level_at(stream, at_us);
    bool differs = level != stream->shown || stream->in_effect || stream->must_show;
    if (!stream->in_tap && differs) {
        stream_push_level(stream, output, at_us, level, WRITE_LEVEL);
    }
}

/* Whether a tap sounds at the time of the earliest level that was taken back. */
static void keep_tap(struct stream *stream, const struct bridge_write *dropped) {
    if (dropped->kind != WRITE_REGISTER) {
        stream->in_tap = dropped->kind == WRITE_TAP_END || dropped->kind == WRITE_TAP_IN_TAP;
        stream->tap_end_us = dropped->due_us;
    }
}

void stream_take_back(struct stream *stream, const struct stream_output *output, uint32_t from_us) {
    struct bridge_write dropped;
    if (writes_drop(output->writes, stream->actuators, &from_us, &dropped)) {
        keep_tap(stream, &dropped);
        stream->must_show = true;
        /* Whatever it was, the next level puts the chip back from a ROM effect to levels. */
        stream->in_effect = configuration_has_effects(stream_configuration(stream, output));
    }
}
