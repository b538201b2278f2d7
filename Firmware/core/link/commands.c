#include "commands.h"

#include "../driver/driver.h"
#include "../support/bytes.h"
#include "../support/compiler.h"
#include "../support/flash.h"
#include "actuator_commands.h"
#include "message.h"
#include "reject.h"
#include "sensor_commands.h"
#include "stream_commands.h"

#define GAIN_FULL 255

#define SEQUENCE_AHEAD_MAX 127

/* ---- Stopping and connecting ------------------------------------------------------------ */

void commands_rest_all(struct bridge *bridge) {
    commands_close_streams(bridge, UINT16_MAX);
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        struct actuator *actuator = bridge_actuator(bridge, index);
        /* A faulty multiplexer may have directed a level for another actuator to this actuator,
           which is in its brake window. */
        if (driver_is_running(actuator) ||
            (BRIDGE_ACTUATOR_COUNT > 1 && driver_is_braking(actuator))) {
            driver_rest(actuator, message_time(bridge));
        }
    }
}

static void handle_stop(struct bridge *bridge, const uint8_t *payload) {
    if (payload[0] != bridge->answers.stop_id || !bridge->answers.has_stop_id) {
        bridge->answers.stop_id = payload[0];
        bridge->answers.has_stop_id = true;
        bridge->answers.last_sent = ANSWER_STOPPED - 1; /* STOPPED is sent before the answers that
                                                           the STOP causes */
        commands_rest_all(bridge);
        uint8_t ahead = (uint8_t)(payload[1] - bridge->answers.next_sequence);
        if (ahead <= SEQUENCE_AHEAD_MAX) {
            bridge->answers.next_sequence = payload[1];
            bridge->answers.link_limit = (uint16_t)(bridge_u16(&payload[2]) + BRIDGE_LINK_WINDOW);
        }
    }
    answers_want(&bridge->answers, ANSWER_STOPPED);
}

static void begin_session(struct bridge *bridge, uint32_t session, uint32_t now_us) {
    bridge->last_valid_frame_us = now_us;
    commands_rest_all(bridge);
    frame_sender_drop(&bridge->sender);
    bridge->answers = (struct answers){.link_limit = BRIDGE_LINK_WINDOW};
    bridge->receiver.session = session;
    bridge->has_session = true;
#if BRIDGE_SENSOR
    sensor_begin_session(&bridge->sensor);
#endif
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        struct actuator *actuator = &bridge->actuators[index];
        actuator->gain = GAIN_FULL;
        actuator->is_muted = false;
        if (actuator->state == BRIDGE_ACTUATOR_FAULT) {
            driver_start(actuator, message_time(bridge));
        }
    }
}

static void handle_hello(struct bridge *bridge, const uint8_t *payload, uint32_t now_us) {
    struct answers *answers = &bridge->answers;
    uint32_t session = bridge_u32(&payload[2]);
    uint8_t version = 0;
    if (payload[0] <= BRIDGE_VERSION_MAX && payload[1] >= BRIDGE_VERSION_MIN && session) {
        version = payload[1] < BRIDGE_VERSION_MAX ? payload[1] : BRIDGE_VERSION_MAX;
        if (session != bridge->receiver.session) {
            begin_session(bridge, session, now_us);
        }
    }
    answers->version = version;
    answers->hello_session = session;
    answers->hello_us = now_us;
    answers_want(answers, ANSWER_WELCOME);
}

/* ---- Queries and faults ----------------------------------------------------------------- */

static void handle_query(struct bridge *bridge, const uint8_t *payload, uint8_t subject,
                         uint32_t now_us) {
    struct answers *answers = &bridge->answers;
    uint8_t type = message_type(bridge);
    uint8_t answer = (uint8_t)(type - BRIDGE_CLOCK + ANSWER_CLOCK);
    if (type == BRIDGE_CLOCK) {
        answers->clock_us = now_us;
    } else if (type == BRIDGE_GET_STREAM) {
        answer = (uint8_t)(ANSWER_STREAM + subject);
    } else if (type == BRIDGE_GET_FIRMWARE) {
        answers->firmware_block = bridge_u16(payload);
    } else if (BRIDGE_ACTUATOR_COUNT > 1 && type != BRIDGE_GET_STATUS &&
               !(BRIDGE_SENSOR && type == BRIDGE_GET_SENSOR)) {
        answers->actuators[type - BRIDGE_GET_ACTUATOR] = subject;
    }
    answers->sequences[answer] = message_sequence(bridge);
    answers_want(answers, (enum answer)answer);
}

static void handle_clear_faults(struct bridge *bridge, const uint8_t *payload) {
    if (payload[2] == bridge->fault_total) {
        bridge->faults &= (uint16_t)~bridge_u16(payload);
    }
}

/* ---- Dispatch -------------------------------------------------------------------------- */

/* Flags in addition to the minimum size of the payload. The flags specify the meaning of byte 0 of
   the payload. */
#define OF_STREAM 0x40
#define OF_OPEN_STREAM 0x80
#define OF_ACTUATOR 0xC0
#define SIZE_MASK 0x3F
#define UNKNOWN 0xFF

struct message {
    uint8_t type;
    uint8_t size;
};

/* The messages in search order. The messages that are the most frequent, or that take the longest
   to handle, are listed first. */
static const struct message messages[] BRIDGE_FLASH = {
    {BRIDGE_EVENTS, OF_OPEN_STREAM | BRIDGE_EVENTS_SIZE},
    {BRIDGE_CONFIGURE, OF_ACTUATOR | BRIDGE_CONFIGURE_SIZE_MIN},
    {BRIDGE_REVISE, OF_OPEN_STREAM | BRIDGE_REVISE_SIZE},
    {BRIDGE_OPEN, OF_STREAM | BRIDGE_OPEN_SIZE},
    {BRIDGE_STOP, BRIDGE_STOP_SIZE},
    {BRIDGE_MUTE, BRIDGE_MUTE_SIZE},
    {BRIDGE_CLOCK, BRIDGE_CLOCK_SIZE},
    {BRIDGE_GET_STATUS, BRIDGE_GET_STATUS_SIZE},
    {BRIDGE_GET_STREAM, OF_STREAM | BRIDGE_GET_STREAM_SIZE},
    {BRIDGE_GET_ACTUATOR, OF_ACTUATOR | BRIDGE_GET_ACTUATOR_SIZE},
    {BRIDGE_GET_CONFIGURATION, OF_ACTUATOR | BRIDGE_GET_CONFIGURATION_SIZE},
    {BRIDGE_CLOSE, OF_STREAM | BRIDGE_CLOSE_SIZE},
    {BRIDGE_START, OF_OPEN_STREAM | BRIDGE_START_SIZE},
    {BRIDGE_SCALE, OF_OPEN_STREAM | BRIDGE_SCALE_SIZE},
    {BRIDGE_GAIN, BRIDGE_GAIN_SIZE},
    {BRIDGE_CLEAR_FAULTS, BRIDGE_CLEAR_FAULTS_SIZE},
    {BRIDGE_CALIBRATE, OF_ACTUATOR | BRIDGE_CALIBRATE_SIZE},
    {BRIDGE_DIAGNOSE, OF_ACTUATOR | BRIDGE_DIAGNOSE_SIZE},
    {BRIDGE_SAVE, OF_ACTUATOR | BRIDGE_SAVE_SIZE},
    {BRIDGE_GET_FIRMWARE, BRIDGE_GET_FIRMWARE_SIZE},
    {BRIDGE_PROBE, BRIDGE_PROBE_SIZE},
    {BRIDGE_ENTER_BOOTLOADER, BRIDGE_ENTER_BOOTLOADER_SIZE},
    {BRIDGE_LOCK, OF_ACTUATOR | BRIDGE_LOCK_SIZE},
#if BRIDGE_SENSOR
    {BRIDGE_GET_SENSOR, BRIDGE_GET_SENSOR_SIZE},
    {BRIDGE_RECORD, BRIDGE_RECORD_SIZE},
#endif
    {0, UNKNOWN},
};

/* Returns the entry of a message in the table. Type 0 marks the end of the table; no message has
   this type. */
static uint8_t entry_of(uint8_t type) {
    const struct message *each = messages;
    uint8_t known;
    while ((known = bridge_flash_byte(&each->type)) != type && known) {
        each++;
    }
    return bridge_flash_byte(&each->size);
}

static void handle_sequenced(struct bridge *bridge, const uint8_t *payload, uint8_t type,
                             uint8_t index, uint32_t now_us) {
    switch (type) {
    case BRIDGE_OPEN:
        handle_open(bridge, payload, bridge_stream(bridge, index));
        break;
    case BRIDGE_CLOSE:
        handle_close(bridge, bridge_stream(bridge, index));
        break;
    case BRIDGE_START:
        handle_start(bridge, payload, bridge_stream(bridge, index), now_us);
        break;
    case BRIDGE_SCALE:
        handle_scale(bridge, payload, bridge_stream(bridge, index));
        break;
    case BRIDGE_EVENTS:
        handle_events(bridge, payload, bridge_stream(bridge, index));
        break;
    case BRIDGE_REVISE:
        handle_revise(bridge, payload, bridge_stream(bridge, index), now_us);
        break;
    case BRIDGE_GAIN:
        handle_gain(bridge, payload);
        break;
    case BRIDGE_CLEAR_FAULTS:
        handle_clear_faults(bridge, payload);
        break;
    case BRIDGE_CONFIGURE:
        handle_configure(bridge, payload, bridge_actuator(bridge, index));
        break;
    case BRIDGE_CALIBRATE:
    case BRIDGE_DIAGNOSE:
        handle_calibrate(bridge, bridge_actuator(bridge, index), type == BRIDGE_DIAGNOSE);
        break;
    case BRIDGE_SAVE:
        handle_save(bridge, index);
        break;
    case BRIDGE_LOCK:
        handle_lock(bridge, index);
        break;
#if BRIDGE_SENSOR
    case BRIDGE_RECORD:
        handle_record(bridge, payload);
        break;
#endif
    case BRIDGE_ENTER_BOOTLOADER:
        handle_enter_bootloader(bridge);
        break;
    }
}

/* Handles a message, provided that its payload is long enough and the stream or the actuator that
   it names exists. */
static void handle_message(struct bridge *bridge, uint32_t now_us) {
    const uint8_t *payload = BRIDGE_OPTIMIZER_HIDE(message_payload(bridge));
    uint8_t type = message_type(bridge);
    uint8_t length = message_rest(bridge, 0);
    uint8_t entry = entry_of(type);
    if (entry == UNKNOWN) {
        command_refuse(bridge, BRIDGE_REJECT_UNKNOWN_MESSAGE);
        return;
    }
    uint8_t size = entry & SIZE_MASK;
    uint8_t of = entry & (uint8_t)~SIZE_MASK;
    if (length < size) {
        command_reject(bridge, BRIDGE_REJECT_LENGTH, length, size);
        return;
    }
    uint8_t index = payload[0];
    if (!of) {
        index = 0;
    }
    uint8_t count = of == OF_ACTUATOR ? bridge_actuators(bridge) : bridge_streams(bridge);
    uint8_t absent = of == OF_ACTUATOR ? BRIDGE_REJECT_NO_ACTUATOR : BRIDGE_REJECT_NO_STREAM;
    if (index >= count) {
        command_reject(bridge, absent, 0, (uint8_t)(count - 1));
        return;
    }
    if (of == OF_OPEN_STREAM && bridge_stream(bridge, index)->state == BRIDGE_STREAM_CLOSED) {
        command_refuse(bridge, absent);
        return;
    }
    if (type == BRIDGE_STOP) {
        handle_stop(bridge, payload);
    } else if (type == BRIDGE_MUTE) {
        handle_mute(bridge, payload);
    } else if (type == BRIDGE_PROBE) {
        handle_probe(bridge, payload[0]);
    } else if (type < BRIDGE_CLASS_SEQUENCED) {
        handle_query(bridge, payload, index, now_us);
    } else {
        handle_sequenced(bridge, payload, type, index, now_us);
    }
}

/* Executes sequenced messages in order and exactly once. If the sequence number differs from the
   expected number, answers with an ACK that contains the expected number. */
static void handle_in_sequence(struct bridge *bridge, uint32_t now_us) {
    uint8_t ahead = (uint8_t)(message_sequence(bridge) - bridge->answers.next_sequence);
    if (ahead == 0) {
        bridge->answers.next_sequence++;
        bridge->answers.link_limit =
            (uint16_t)(bridge->answers.link_limit + bridge->receiver.length + FRAME_OVERHEAD);
        handle_message(bridge, now_us);
    } else if (ahead <= SEQUENCE_AHEAD_MAX) {
        bridge->answers.ack_flags |= BRIDGE_ACK_FLAG_RESEND;
    }
    answers_want(&bridge->answers, ANSWER_ACK);
}

void commands_dispatch(struct bridge *bridge, uint32_t stamp_us) {
    uint8_t type = message_type(bridge);
    uint8_t message_class = type & BRIDGE_CLASS_MASK;
    if (message_class == BRIDGE_CLASS_CONNECT) {
        if (type == BRIDGE_HELLO && message_rest(bridge, 0) >= BRIDGE_HELLO_SIZE) {
            handle_hello(bridge, message_payload(bridge), stamp_us);
        }
        return;
    }
    if (!bridge->has_session) {
        answers_want(&bridge->answers, ANSWER_NO_SESSION);
        return;
    }
    if (type & BRIDGE_FROM_DEVICE) {
        return; /* an echo, which does not prove that the host is alive */
    }
    bridge->last_valid_frame_us = stamp_us;
    if (message_class == BRIDGE_CLASS_SEQUENCED) {
        handle_in_sequence(bridge, stamp_us);
    } else {
        handle_message(bridge, stamp_us);
    }
}
