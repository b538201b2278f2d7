#include "bridge.h"

#include "bridge_atomic.h"
#include "bridge_time.h"
#include "commands.h"
#include "drv2605.h"

#define CREDIT_NEWS 4 /* an ACK of its own for a quarter of the event memory */

void bridge_init(struct bridge *bridge, const struct bridge_board *board) {
    *bridge = (struct bridge){.board = *board};
    bridge->board.features |= BRIDGE_FEATURE_REVISE | BRIDGE_FEATURE_CALIBRATION;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        actuator_init(&bridge->actuators[index]);
        drv2605_start(&bridge->actuators[index], BRIDGE_CLOCK_AT_BOOT);
    }
    answers_want(&bridge->answers, ANSWER_NO_SESSION);
}

bool bridge_load(struct bridge *bridge, uint8_t actuator,
                 const struct configuration *configuration) {
    if (actuator >= BRIDGE_ACTUATOR_COUNT || configuration_check(configuration).code) {
        return false;
    }
    bridge->actuators[actuator].configuration = *configuration;
    bridge->actuators[actuator].is_configured = true;
    return true;
}

/* ---- Receiving ------------------------------------------------------------------------- */

static void count_damage(struct bridge *bridge) {
    bridge->counters.damaged_frames++;
    if (!bridge->session) {
        answers_want(&bridge->answers, ANSWER_NO_SESSION);
        return;
    }
    bridge->answers.ack_flags |= BRIDGE_ACK_FLAG_RESEND;
    answers_want(&bridge->answers, ANSWER_ACK);
}

void bridge_receive(struct bridge *bridge, uint8_t byte, uint32_t stamp_us) {
    switch (frame_receive(&bridge->receiver, byte, bridge->session)) {
    case FRAME_INCOMPLETE:
        break;
    case FRAME_COMPLETE:
        commands_dispatch(bridge, stamp_us);
        break;
    case FRAME_DAMAGED:
        count_damage(bridge);
        break;
    }
}

/* ---- Faults ---------------------------------------------------------------------------- */

static void latch(struct bridge *bridge, uint16_t faults) {
    if (faults) {
        bridge->faults |= faults;
        bridge->fault_total++;
        answers_want(&bridge->answers, ANSWER_STATUS);
    }
}

static void collect_actuator(struct bridge *bridge, uint8_t index, uint32_t now_us) {
    struct actuator *actuator = &bridge->actuators[index];
    if (actuator->faults & BRIDGE_FAULT_CHIP_RESET) {
        bridge->counters.chip_resets++;
    }
    latch(bridge, actuator->faults);
    actuator->faults = 0;
    if (actuator->has_stopped) {
        actuator->has_stopped = false;
        commands_close_streams(bridge, (uint16_t)(1u << index), now_us);
    }
}

static void collect_stream(struct bridge *bridge, uint8_t index) {
    struct stream *stream = &bridge->streams[index];
    uint16_t faults = 0;
    if (stream->notices & STREAM_CHANGED) {
        answers_want_stream(&bridge->answers, index);
    }
    if (stream->notices & STREAM_TAP_SKIPPED) {
        faults |= BRIDGE_FAULT_TAP_SKIPPED;
        bridge->counters.skipped_taps++;
    }
    if (stream->notices & STREAM_LEVEL_LATE) {
        faults |= BRIDGE_FAULT_LATE;
        bridge->counters.late_events++;
    }
    if (stream->notices & STREAM_UNDERRUN) {
        faults |= BRIDGE_FAULT_UNDERRUN;
        bridge->counters.underruns++;
    }
    if (stream->notices & STREAM_BAD_EVENT) {
        faults |= BRIDGE_FAULT_EVENT;
    }
    stream->notices = 0;
    latch(bridge, faults);
}

/* ---- Work ------------------------------------------------------------------------------ */

static void tell_credit(struct bridge *bridge, const struct stream *stream) {
    uint16_t news = (uint16_t)(event_memory_limit(&stream->memory) - stream->limit_told);
    if (stream->state != BRIDGE_STREAM_CLOSED && news >= stream->memory.capacity / CREDIT_NEWS) {
        answers_want(&bridge->answers, ANSWER_ACK);
    }
}

static bool poll_stream(struct bridge *bridge, uint8_t index, uint32_t now_us) {
    struct stream *stream = &bridge->streams[index];
    bool did = stream_render(stream, bridge->actuators, now_us);
    if (stream->state == BRIDGE_STREAM_ENDED && !stream->memory.is_split) {
        for (uint8_t actuator = 0; actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
            if (stream->actuators >> actuator & 1) {
                bridge->actuators[actuator].is_wanted = false;
            }
        }
    }
    tell_credit(bridge, stream);
    collect_stream(bridge, index);
    return did;
}

static void poll_actuator(struct bridge *bridge, uint8_t index, uint32_t now_us) {
    struct actuator *actuator = &bridge->actuators[index];
    uint8_t state = actuator->state;
    bool on_bus = bridge_driver_is_on_bus(bridge, index);
    if (state == BRIDGE_ACTUATOR_AT_REST && actuator->is_wanted) {
        drv2605_wake(actuator, now_us);
    } else if (state == BRIDGE_ACTUATOR_COMING_TO_REST && actuator->is_wanted && !on_bus) {
        drv2605_resume(actuator, now_us);
    } else if (state == BRIDGE_ACTUATOR_AWAKE && !actuator->is_wanted &&
               !writes_count(&actuator->writes)) {
        drv2605_rest(actuator, now_us);
    }
    collect_actuator(bridge, index, now_us);
    if (actuator->state != state) {
        answers_want(&bridge->answers, ANSWER_STATUS);
    }
}

static bool is_running(const struct bridge *bridge) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (drv2605_is_running(&bridge->actuators[index])) {
            return true;
        }
    }
    return false;
}

static void poll_dead_man(struct bridge *bridge, uint32_t now_us) {
    if (!is_running(bridge) || !bridge_is_due(bridge->heard_us + BRIDGE_DEAD_MAN_US, now_us)) {
        return;
    }
    bridge->heard_us = now_us;
    bridge->counters.dead_man_trips++;
    latch(bridge, BRIDGE_FAULT_DEAD_MAN);
    commands_rest_all(bridge, now_us);
}

static void collect_lateness(struct bridge *bridge) {
    if (!bridge->late_us) {
        return;
    }
    uint32_t late_us;
    uint8_t late_writes;
    BRIDGE_ATOMIC_BEGIN
    late_us = bridge->late_us;
    late_writes = bridge->late_writes;
    bridge->late_us = 0;
    bridge->late_writes = 0;
    BRIDGE_ATOMIC_END
    if (late_us > bridge->counters.latest_us) {
        bridge->counters.latest_us = late_us;
    }
    if (late_writes) {
        bridge->counters.late_events += late_writes;
        latch(bridge, BRIDGE_FAULT_LATE);
    }
}

static bool poll_streams(struct bridge *bridge, uint32_t now_us) {
    bool did = false;
    for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
        did |= poll_stream(bridge, index, now_us);
    }
    return did;
}

/* Streams and all else take turns: either can take most of a step's time. */
bool bridge_poll(struct bridge *bridge, uint32_t now_us) {
    bridge->is_rendering = !bridge->is_rendering;
    if (bridge->is_rendering) {
        bridge->has_rendered = poll_streams(bridge, now_us);
        return true;
    }
    bridge_finish_transfer(bridge, now_us);
    poll_dead_man(bridge, now_us);
    collect_lateness(bridge);
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        poll_actuator(bridge, index, now_us);
    }
    return answers_poll(bridge, now_us) || bridge->has_rendered;
}

/* ---- What a port asks ------------------------------------------------------------------ */

bool bridge_has_byte(const struct bridge *bridge) { return bridge->sender.is_ready; }

bool bridge_take_byte(struct bridge *bridge, uint8_t *byte) {
    return frame_sender_take(&bridge->sender, byte);
}

uint16_t bridge_enabled(const struct bridge *bridge) {
    uint16_t mask = 0;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (bridge->actuators[index].is_enabled) {
            mask |= (uint16_t)(1u << index);
        }
    }
    return mask;
}

bool bridge_take_save(struct bridge *bridge, uint8_t *actuator) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (bridge->save >> index & 1) {
            bridge->save &= (uint16_t) ~(1u << index);
            *actuator = index;
            return true;
        }
    }
    return false;
}

bool bridge_wants_bootloader(const struct bridge *bridge) { return bridge->wants_bootloader; }
