#include "command.h"

#include "bridge_bytes.h"
#include "drv2605.h"

#define SEQUENCE_AHEAD_MAX 127

void command_reject(struct command *command, uint8_t code, uint8_t offset, uint32_t limit) {
    command->rejection.code = code;
    command->rejection.offset = offset;
    command->rejection.limit = limit;
}

/* ---- Stopping and connecting ------------------------------------------------------------ */

void commands_rest_all(struct bridge *bridge, uint32_t now_us) {
    commands_close_streams(bridge, UINT16_MAX, now_us);
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (drv2605_is_running(&bridge->actuators[index])) {
            drv2605_rest(&bridge->actuators[index], now_us);
        }
    }
}

static void carry_out_stop(struct bridge *bridge, struct command *command) {
    if (command->payload[0] != bridge->stop_id) {
        bridge->stop_id = command->payload[0];
        commands_rest_all(bridge, command->stamp_us);
        uint8_t ahead = (uint8_t)(command->payload[1] - bridge->next_sequence);
        if (ahead <= SEQUENCE_AHEAD_MAX) {
            bridge->next_sequence = command->payload[1];
            bridge->link_total = bridge_u16(&command->payload[2]);
        }
    }
    answers_want(&bridge->answers, ANSWER_STOPPED);
}

static void carry_out_clear_faults(struct bridge *bridge, struct command *command) {
    if (command->payload[2] == bridge->fault_total) {
        bridge->faults &= (uint16_t)~bridge_u16(command->payload);
    }
}

static void begin_session(struct bridge *bridge, uint32_t session, uint32_t now_us) {
    commands_rest_all(bridge, now_us);
    answers_reset(&bridge->answers);
    bridge->session = session;
    bridge->heard_us = now_us;
    bridge->next_sequence = 0;
    bridge->link_total = 0;
    bridge->stop_id = 0;
    bridge->mute_id = 0;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct actuator *actuator = &bridge->actuators[index];
        actuator->gain = GAIN_FULL;
        actuator->is_muted = false;
        if (actuator->state == BRIDGE_ACTUATOR_FAULT) {
            drv2605_start(actuator, now_us);
        }
    }
}

static void carry_out_hello(struct bridge *bridge, struct command *command) {
    uint8_t theirs_min = command->payload[0];
    uint8_t theirs_max = command->payload[1];
    uint32_t session = bridge_u32(&command->payload[2]);
    bool common = theirs_min <= BRIDGE_VERSION_MAX && theirs_max >= BRIDGE_VERSION_MIN;
    uint8_t version = theirs_max < BRIDGE_VERSION_MAX ? theirs_max : BRIDGE_VERSION_MAX;
    if (common && session != 0 && session != bridge->session) {
        begin_session(bridge, session, command->stamp_us);
    }
    bridge->answers.version = common && session != 0 ? version : 0;
    bridge->answers.hello_session = session;
    bridge->answers.clock_us = command->stamp_us;
    bridge->answers.pending &= (uint16_t) ~(1u << ANSWER_NO_SESSION);
    answers_want(&bridge->answers, ANSWER_WELCOME);
}

/* ---- Queries --------------------------------------------------------------------------- */

static void answer_clock(struct bridge *bridge, struct command *command) {
    bridge->answers.clock_tag = command->sequence;
    bridge->answers.clock_us = command->stamp_us;
    answers_want(&bridge->answers, ANSWER_CLOCK);
}

static void answer_status(struct bridge *bridge, struct command *command) {
    bridge->answers.status_tag = command->sequence;
    answers_want(&bridge->answers, ANSWER_STATUS);
}

static void answer_stream(struct bridge *bridge, struct command *command) {
    if (command_stream(bridge, command)) {
        bridge->answers.stream_tag = command->sequence;
        bridge->answers.tagged_stream = command->payload[0];
        bridge->answers.streams |= (uint16_t)(1u << command->payload[0]);
        answers_want(&bridge->answers, ANSWER_STREAM);
    }
}

static void answer_actuator(struct bridge *bridge, struct command *command) {
    if (command_actuator(bridge, command)) {
        bridge->answers.actuator_tag = command->sequence;
        bridge->answers.actuator = command->payload[0];
        answers_want(&bridge->answers, ANSWER_ACTUATOR);
    }
}

static void answer_configuration(struct bridge *bridge, struct command *command) {
    if (command_actuator(bridge, command)) {
        bridge->answers.configuration_tag = command->sequence;
        bridge->answers.configuration = command->payload[0];
        answers_want(&bridge->answers, ANSWER_CONFIGURATION);
    }
}

/* ---- Dispatch -------------------------------------------------------------------------- */

struct command_entry {
    uint8_t type;
    uint8_t size;
    void (*carry_out)(struct bridge *bridge, struct command *command);
};

static const struct command_entry commands[] = {
    {BRIDGE_HELLO, BRIDGE_HELLO_SIZE, carry_out_hello},
    {BRIDGE_STOP, BRIDGE_STOP_SIZE, carry_out_stop},
    {BRIDGE_MUTE, BRIDGE_MUTE_SIZE, carry_out_mute},
    {BRIDGE_CLOCK, BRIDGE_CLOCK_SIZE, answer_clock},
    {BRIDGE_GET_STATUS, BRIDGE_GET_STATUS_SIZE, answer_status},
    {BRIDGE_GET_STREAM, BRIDGE_GET_STREAM_SIZE, answer_stream},
    {BRIDGE_GET_ACTUATOR, BRIDGE_GET_ACTUATOR_SIZE, answer_actuator},
    {BRIDGE_GET_CONFIGURATION, BRIDGE_GET_CONFIGURATION_SIZE, answer_configuration},
    {BRIDGE_OPEN, BRIDGE_OPEN_SIZE, carry_out_open},
    {BRIDGE_CLOSE, BRIDGE_CLOSE_SIZE, carry_out_close},
    {BRIDGE_START, BRIDGE_START_SIZE, carry_out_start},
    {BRIDGE_SCALE, BRIDGE_SCALE_SIZE, carry_out_scale},
    {BRIDGE_EVENTS, BRIDGE_EVENTS_SIZE, carry_out_events},
    {BRIDGE_REVISE, BRIDGE_REVISE_SIZE, carry_out_revise},
    {BRIDGE_GAIN, BRIDGE_GAIN_SIZE, carry_out_gain},
    {BRIDGE_CLEAR_FAULTS, BRIDGE_CLEAR_FAULTS_SIZE, carry_out_clear_faults},
    {BRIDGE_CONFIGURE, BRIDGE_CONFIGURE_SIZE, carry_out_configure},
    {BRIDGE_CALIBRATE, BRIDGE_CALIBRATE_SIZE, carry_out_calibrate},
    {BRIDGE_DIAGNOSE, BRIDGE_DIAGNOSE_SIZE, carry_out_calibrate},
    {BRIDGE_SAVE, BRIDGE_SAVE_SIZE, carry_out_save},
    {BRIDGE_ENTER_BOOTLOADER, BRIDGE_ENTER_BOOTLOADER_SIZE, carry_out_enter_bootloader},
};

static const struct command_entry *entry_of(uint8_t type) {
    for (uint8_t index = 0; index < sizeof commands / sizeof commands[0]; index++) {
        if (commands[index].type == type) {
            return &commands[index];
        }
    }
    return 0;
}

static void carry_out(struct bridge *bridge, struct command *command) {
    const struct command_entry *entry = entry_of(command->type);
    if (!entry) {
        command_reject(command, BRIDGE_REJECT_UNKNOWN_MESSAGE, 0, 0);
    } else if (command->length < entry->size) {
        command_reject(command, BRIDGE_REJECT_LENGTH, command->length, entry->size);
    } else {
        entry->carry_out(bridge, command);
    }
    if (command->rejection.code) {
        command->rejection.type = command->type;
        command->rejection.sequence = command->sequence;
        answers_reject(&bridge->answers, &command->rejection);
    }
}

/* In order and exactly once; whatever else arrives is answered by where the sequence stands. */
static void carry_out_in_sequence(struct bridge *bridge, struct command *command) {
    uint8_t ahead = (uint8_t)(command->sequence - bridge->next_sequence);
    if (ahead == 0) {
        bridge->next_sequence++;
        bridge->link_total = (uint16_t)(bridge->link_total + bridge->receiver.wire_length);
        carry_out(bridge, command);
    } else if (ahead <= SEQUENCE_AHEAD_MAX) {
        bridge->answers.ack_flags |= BRIDGE_ACK_FLAG_RESEND;
    }
    answers_want(&bridge->answers, ANSWER_ACK);
}

void commands_dispatch(struct bridge *bridge, uint32_t stamp_us) {
    const struct frame_receiver *receiver = &bridge->receiver;
    struct command command = {
        .payload = &receiver->body[BRIDGE_HEADER_SIZE],
        .length = (uint8_t)(receiver->length - BRIDGE_HEADER_SIZE),
        .type = receiver->body[0],
        .sequence = receiver->body[1],
        .stamp_us = stamp_us,
    };
    uint8_t message_class = command.type & BRIDGE_CLASS_MASK;
    if (message_class == BRIDGE_CLASS_CONNECT) {
        if (command.type == BRIDGE_HELLO && command.length >= BRIDGE_HELLO_SIZE) {
            carry_out_hello(bridge, &command);
        }
        return;
    }
    if (!bridge->session) {
        answers_want(&bridge->answers, ANSWER_NO_SESSION);
        return;
    }
    bridge->heard_us = stamp_us;
    if (message_class == BRIDGE_CLASS_SEQUENCED) {
        carry_out_in_sequence(bridge, &command);
    } else if (!(command.type & BRIDGE_FROM_DEVICE)) {
        carry_out(bridge, &command);
    }
}
