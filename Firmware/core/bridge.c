#include "bridge.h"

#include "bridge_time.h"
#include "commands.h"
#include "drv2605.h"

#define BUS_GUARD_US 250u /* the longest transfer that is not due, and some margin */
#define BUS_FAILURES_MAX 3
#define CREDIT_NEWS 4 /* an ACK of its own for a quarter of the event memory */

void bridge_init(struct bridge *bridge, const struct bridge_board *board) {
    *bridge = (struct bridge){.board = *board};
    frame_receiver_init(&bridge->receiver);
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
    latch(bridge, actuator->faults);
    actuator->faults = 0;
    if (actuator->chip_was_reset) {
        actuator->chip_was_reset = false;
        bridge->counters.chip_resets++;
    }
    if (actuator->has_stopped) {
        actuator->has_stopped = false;
        commands_close_streams(bridge, (uint16_t)(1u << index), now_us);
    }
}

static void collect_stream(struct bridge *bridge, uint8_t index) {
    struct stream *stream = &bridge->streams[index];
    uint16_t faults = 0;
    if (stream->notices & STREAM_CHANGED) {
        bridge->answers.streams |= (uint16_t)(1u << index);
        answers_want(&bridge->answers, ANSWER_STREAM);
    }
    if (stream->skipped_taps) {
        faults |= BRIDGE_FAULT_TAP_SKIPPED;
        bridge->counters.skipped_taps =
            (uint16_t)(bridge->counters.skipped_taps + stream->skipped_taps);
        stream->skipped_taps = 0;
    }
    bridge->counters.late_events = (uint16_t)(bridge->counters.late_events + stream->late_levels);
    stream->late_levels = 0;
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
    struct stream_output output = {.writes = &bridge->writes, .actuators = bridge->actuators};
    bool did = stream_render(stream, &output, now_us);
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
    bool on_bus = bridge->bus_owner == BUS_DRIVER && bridge->transfer.actuator == index;
    if (state == BRIDGE_ACTUATOR_AT_REST && actuator->is_wanted) {
        drv2605_wake(actuator, now_us);
    } else if (state == BRIDGE_ACTUATOR_COMING_TO_REST && actuator->is_wanted && !on_bus) {
        drv2605_resume(actuator, now_us);
    } else if (state == BRIDGE_ACTUATOR_AWAKE && !actuator->is_wanted &&
               !writes_has(&bridge->writes, (uint16_t)(1u << index))) {
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
    if (bridge->counters.late_events != bridge->late_told) {
        bridge->late_told = bridge->counters.late_events;
        latch(bridge, BRIDGE_FAULT_LATE);
    }
}

bool bridge_poll(struct bridge *bridge, uint32_t now_us) {
    poll_dead_man(bridge, now_us);
    collect_lateness(bridge);
    bool did = false;
    for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
        did |= poll_stream(bridge, index, now_us);
    }
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        poll_actuator(bridge, index, now_us);
    }
    return answers_poll(bridge, now_us) || did;
}

/* ---- Bus ------------------------------------------------------------------------------- */

static bool starts_effect(uint8_t reg, uint8_t value) {
    return (reg == DRV2605_REG_GO && (value & DRV2605_GO)) ||
           (reg == DRV2605_REG_MODE && (value & DRV2605_MODE_MASK) != DRV2605_MODE_RTP);
}

/* A write for an actuator that will not come, or a ROM effect for one that is muted. */
static bool is_dead(const struct bridge *bridge, const struct bridge_write *write) {
    const struct actuator *actuator = &bridge->actuators[write->actuator];
    return !actuator->is_wanted ||
           (actuator->is_muted && starts_effect(write->reg, write->value));
}

/* Dead writes are not kept in the way of others. */
static void drop_dead_writes(struct bridge *bridge) {
    struct bridge_write *write;
    while ((write = writes_first(&bridge->writes)) && is_dead(bridge, write)) {
        writes_pop(&bridge->writes);
    }
}

static void count_lateness(struct bridge *bridge, uint32_t late_us) {
    if (late_us > bridge->counters.latest_us) {
        bridge->counters.latest_us = late_us;
    }
    if (late_us > BRIDGE_LATE_US) {
        bridge->counters.late_events++;
    }
}

/* In doubt the chip plays an effect: from the attempt to start one until levels hold again. */
static void note_start(struct actuator *actuator, const struct bridge_transfer *transfer) {
    actuator->in_effect |= starts_effect(transfer->reg, transfer->value);
}

static void note_end(struct actuator *actuator, const struct bridge_transfer *transfer) {
    if (transfer->reg == DRV2605_REG_MODE && !starts_effect(transfer->reg, transfer->value)) {
        actuator->in_effect = false;
    }
}

static bool take_due(struct bridge *bridge, uint32_t now_us, struct bridge_transfer *transfer) {
    drop_dead_writes(bridge);
    struct bridge_write *write = writes_first(&bridge->writes);
    if (!write || !bridge_is_due(write->due_us, now_us) ||
        !drv2605_is_ready(&bridge->actuators[write->actuator])) {
        return false;
    }
    struct actuator *actuator = &bridge->actuators[write->actuator];
    *transfer = (struct bridge_transfer){
        .actuator = write->actuator, .reg = write->reg, .value = write->value};
    if (write->kind != WRITE_REGISTER) {
        actuator->shown = write->level;
        actuator->immediate &= (uint8_t)~IMMEDIATE_LEVEL;
    }
    note_start(actuator, transfer);
    count_lateness(bridge, now_us - write->due_us);
    writes_pop(&bridge->writes);
    return true;
}

static bool take_immediate(struct actuator *actuator, struct bridge_transfer *transfer) {
    if (!actuator->immediate || !drv2605_is_ready(actuator)) {
        return false;
    }
    if (actuator->immediate & IMMEDIATE_GO) {
        actuator->immediate &= (uint8_t)~IMMEDIATE_GO;
        *transfer = (struct bridge_transfer){.reg = DRV2605_REG_GO, .value = 0};
    } else if (actuator->immediate & IMMEDIATE_LEVEL) {
        actuator->immediate &= (uint8_t)~IMMEDIATE_LEVEL;
        *transfer = (struct bridge_transfer){.reg = DRV2605_REG_RTP_INPUT,
                                             .value = actuator_value(actuator, actuator->shown)};
    } else {
        actuator->immediate = 0;
        *transfer = (struct bridge_transfer){.reg = DRV2605_REG_MODE, .value = DRV2605_MODE_RTP};
    }
    return true;
}

/* What was not acknowledged goes out again before anything that follows it. */
static bool take_repeat(struct bridge *bridge, struct bridge_transfer *transfer) {
    const struct actuator *actuator = &bridge->actuators[bridge->transfer.actuator];
    bool repeats = bridge->must_repeat && drv2605_is_ready(actuator);
    bridge->must_repeat = false;
    if (!repeats) {
        return false;
    }
    *transfer = bridge->transfer;
    if (transfer->reg == DRV2605_REG_RTP_INPUT) {
        transfer->value = actuator_value(actuator, actuator->shown);
    }
    bridge->bus_owner = BUS_IMMEDIATE;
    return true;
}

/* However dense the writes, the chip is looked after. */
static bool is_overdue(const struct bridge *bridge, uint32_t now_us) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (drv2605_is_overdue(&bridge->actuators[index], now_us)) {
            return true;
        }
    }
    return false;
}

static bool bus_is_needed_soon(struct bridge *bridge, uint32_t now_us) {
    const struct bridge_write *write = writes_first(&bridge->writes);
    return write && drv2605_is_ready(&bridge->actuators[write->actuator]) &&
           bridge_is_before(write->due_us, now_us + BUS_GUARD_US);
}

/* The transfer of one actuator that is not timed; those that make it safe wait for nothing. */
static bool take_untimed(struct bridge *bridge, uint8_t index, uint32_t now_us, bool only_rest,
                         struct bridge_transfer *transfer) {
    struct actuator *actuator = &bridge->actuators[index];
    if (drv2605_is_coming_to_rest(actuator) != only_rest) {
        return false;
    }
    if (!only_rest && take_immediate(actuator, transfer)) {
        bridge->bus_owner = BUS_IMMEDIATE;
    } else if (drv2605_next_transfer(actuator, now_us, transfer)) {
        bridge->bus_owner = BUS_DRIVER;
    } else {
        return false;
    }
    transfer->actuator = index;
    return true;
}

static bool take_any_untimed(struct bridge *bridge, uint32_t now_us, bool only_rest,
                             struct bridge_transfer *transfer) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (take_untimed(bridge, index, now_us, only_rest, transfer)) {
            return true;
        }
    }
    return false;
}

bool bridge_take_transfer(struct bridge *bridge, uint32_t now_us,
                          struct bridge_transfer *transfer) {
    if (bridge->bus_owner != BUS_FREE) {
        return false;
    }
    bool overdue = is_overdue(bridge, now_us);
    bool taken = take_repeat(bridge, transfer) || take_any_untimed(bridge, now_us, true, transfer);
    if (!taken && !overdue && take_due(bridge, now_us, transfer)) {
        bridge->bus_owner = BUS_DUE;
        taken = true;
    }
    if (!taken && (overdue || !bus_is_needed_soon(bridge, now_us))) {
        taken = take_any_untimed(bridge, now_us, false, transfer);
    }
    if (taken) {
        bridge->transfer = *transfer;
        bridge->bus_step = bridge->actuators[transfer->actuator].step;
    }
    return taken;
}

/* A write that did not arrive is repeated at once; three in a row are a broken bus. */
static void note_failed_write(struct bridge *bridge, struct actuator *actuator) {
    if (++actuator->failures < BUS_FAILURES_MAX) {
        bridge->must_repeat = true;
    } else {
        drv2605_shut_down(actuator, BRIDGE_FAULT_BUS);
    }
}

void bridge_bus_done(struct bridge *bridge, bool ok, uint8_t value, uint32_t now_us) {
    struct actuator *actuator = &bridge->actuators[bridge->transfer.actuator];
    uint8_t owner = bridge->bus_owner;
    bridge->bus_owner = BUS_FREE;
    bool may_be_silent = owner == BUS_DRIVER && drv2605_may_be_silent(actuator);
    if (!ok && !may_be_silent) {
        bridge->counters.bus_errors++;
        latch(bridge, BRIDGE_FAULT_BUS);
    }
    if (owner == BUS_DRIVER) {
        if (actuator->step == bridge->bus_step) { /* else it was overtaken, by a stop for one */
            drv2605_done(actuator, ok, value, now_us);
        }
    } else if (ok) {
        actuator->failures = 0;
        note_end(actuator, &bridge->transfer);
    } else if (owner != BUS_FREE && actuator->state == BRIDGE_ACTUATOR_AWAKE) {
        note_failed_write(bridge, actuator);
    }
}

bool bridge_next_due(struct bridge *bridge, uint32_t *due_us) {
    const struct bridge_write *write = writes_first(&bridge->writes);
    if (write) {
        *due_us = write->due_us;
    }
    return write;
}

/* ---- What a port asks ------------------------------------------------------------------ */

bool bridge_take_byte(struct bridge *bridge, uint8_t *byte) {
    return answers_take_byte(&bridge->answers, byte);
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
