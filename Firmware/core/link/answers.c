#include "answers.h"

#include <stddef.h>

#include "../device.h"
#include "../driver/driver.h"
#include "../support/bytes.h"
#include "../support/compiler.h"
#include "../support/flash.h"

#define STATE_MUTED 0x01
#define STATE_AWAKE 0x02
#define STATE_DRIVING 0x04
#define STATE_SLOW_BUS 0x08

_Static_assert(BRIDGE_ACK_SIZE + BRIDGE_STREAM_COUNT * BRIDGE_CREDIT_SIZE <= BRIDGE_PAYLOAD_MAX,
               "an ACK must have room for the credit of every stream");

BRIDGE_NOINLINE void answers_want(struct answers *answers, enum answer answer) {
    answers->wanted[answer] = true;
}

void answers_want_stream(struct answers *answers, uint8_t index) {
    answers->wanted[ANSWER_STREAM + index] = true;
}

/* ---- Messages -------------------------------------------------------------------------- */

/*
 * The description of a message is an array of bytes: the type, followed by the fields in wire
 * order. A field is a size and an offset in the struct that contains the values of the message; if
 * the size is 0, the offset itself is the byte to send. A computed value is 0 in the description,
 * and is set after the other fields have been copied (patch).
 */
#define FIELD(type, name) sizeof(((struct type *)0)->name), offsetof(struct type, name)
#define FIELDS(type, first, last)                                                                  \
    offsetof(struct type, last) + sizeof(((struct type *)0)->last) - offsetof(struct type, first), \
        offsetof(struct type, first)
#define CONFIGURED(name, size) size, offsetof(struct actuator, configuration) + CONFIGURATION_##name
#define BYTE(value) 0, (value)
#define WORD(value) BYTE((uint8_t)(value)), BYTE((value) >> 8)
#if BRIDGE_HAS_ALL
#define COUNTS BYTE(BRIDGE_ACTUATOR_COUNT), BYTE(BRIDGE_STREAM_COUNT)
#else
#define COUNTS FIELDS(bridge, board.actuators, board.streams)
#endif
#define TIMED 0xFE
#define END 0xFF
#define END_CLOCK TIMED /* the end of a message; the sender adds the time after everything else */

static const uint8_t welcome_message[] BRIDGE_FLASH = {
    BRIDGE_WELCOME,
    FIELD(bridge, answers.version),
    BYTE(BRIDGE_VERSION_MIN),
    BYTE(BRIDGE_VERSION_MAX),
    FIELD(bridge, answers.hello_session),
    FIELD(bridge, board.features),
    BYTE(0),
    WORD(0), /* the other bytes of the features, in which no bits are defined yet */
    FIELD(bridge, board.board_id),
    FIELD(bridge, board.firmware),
    COUNTS,
    WORD(BRIDGE_EVENT_MEMORY),
    WORD(BRIDGE_LINK_WINDOW),
    BYTE(BRIDGE_BODY_MAX),
    FIELD(bridge, board.reset_cause),
    FIELD(bridge, board.boot_count),
    FIELD(bridge, answers.hello_us),
    FIELD(bridge, board.kind),
    END,
};

static const uint8_t no_session_message[] BRIDGE_FLASH = {
    BRIDGE_NO_SESSION,
    FIELD(bridge, board.reset_cause),
    FIELD(bridge, board.boot_count),
    END_CLOCK,
};

static const uint8_t stopped_message[] BRIDGE_FLASH = {
    BRIDGE_STOPPED,
    FIELD(bridge, answers.stop_id),
    END,
};

static const uint8_t muted_message[] BRIDGE_FLASH = {
    BRIDGE_MUTED,
    FIELD(bridge, answers.mute_id),
    END,
};

static const uint8_t reject_message[] BRIDGE_FLASH = {
    BRIDGE_REJECT,
    FIELDS(bridge, answers.rejection.type, answers.rejection.limit),
    END,
};

static const uint8_t clock_reply_message[] BRIDGE_FLASH = {
    BRIDGE_CLOCK_REPLY,
    FIELD(bridge, answers.clock_us),
    END_CLOCK,
};

static const uint8_t status_message[] BRIDGE_FLASH = {
    BRIDGE_STATUS,
    BYTE(0), /* STATUS_STATE */
    FIELD(bridge, fault_total),
    FIELD(bridge, faults),
    FIELDS(bridge, counters.damaged_frames, counters.chip_resets),
    FIELDS(bridge, answers.rejection.sequence, answers.rejection.code),
    FIELD(bridge, answers.rejects),
    FIELD(bridge, actuators[0].gain),
    WORD(0), /* STATUS_CLOCK */
    WORD(0),
    FIELD(bridge, counters.lost_bytes),
    END,
};

static const uint8_t ack_message[] BRIDGE_FLASH = {
    BRIDGE_ACK,
    FIELD(bridge, answers.next_sequence),
    FIELD(bridge, answers.ack_flags),
    FIELD(bridge, answers.link_limit),
    FIELD(bridge, answers.rejects),
    END,
};

static const uint8_t actuator_message[] BRIDGE_FLASH = {
    BRIDGE_ACTUATOR,
    FIELD(actuator, state),
    FIELD(actuator, chip_id),
    CONFIGURED(KIND, 1),
    CONFIGURED(CALIBRATION, 1), /* ACTUATOR_CALIBRATION */
    CONFIGURED(LOCALITY, 7),    /* also resonance, rated, overdrive */
    BYTE(0),                    /* ACTUATOR_LEVEL_BITS */
    WORD(BRIDGE_RAMP_STEP_US),
    CONFIGURED(RESONANCE, 2),
    CONFIGURED(RESONANCE, 2),
    CONFIGURED(ONSET, 2),
    CONFIGURED(RISE, 1),
    BYTE(0),
    CONFIGURED(BRAKE, 1),
    BYTE(0),
    CONFIGURED(TAP_DULL, 4), /* also tap_sharp */
    WORD(0),                 /* ACTUATOR_SUPPLY */
    BYTE(0),                 /* ACTUATOR_LOCKED */
    FIELD(actuator, lra_period),
    END,
};

static const uint8_t configuration_message[] BRIDGE_FLASH = {
    BRIDGE_CONFIGURATION,
    FIELD(actuator, configuration),
    END,
};

static const uint8_t firmware_message[] BRIDGE_FLASH = {
    BRIDGE_FIRMWARE,
    FIELD(bridge, answers.firmware_block),
    END,
};

static const uint8_t probed_message[] BRIDGE_FLASH = {
    BRIDGE_PROBED,
    FIELD(bridge, answers.probed),
    END,
};

#if BRIDGE_SENSOR
static const uint8_t sensor_message[] BRIDGE_FLASH = {
    BRIDGE_SENSOR_STATE,
    FIELDS(sensor, kind, recording),
    END,
};

static const uint8_t samples_message[] BRIDGE_FLASH = {
    BRIDGE_SAMPLES,
    FIELDS(sensor, held, samples),
    END,
};
#endif

static const uint8_t stream_message[] BRIDGE_FLASH = {
    BRIDGE_STREAM,
    FIELD(stream, generation),
    FIELD(stream, state),
    FIELD(stream, actuators),
    FIELD(stream, memory.capacity),
    FIELD(stream, memory.limit),
    FIELD(stream, start_us),
    FIELD(stream, clock.tick),
    FIELD(stream, revised_us),
    FIELD(stream, events),
    END,
};

/* The messages, indexed by enum answer. */
static const uint8_t *const messages[] BRIDGE_FLASH = {
    welcome_message,  no_session_message,    stopped_message,  muted_message,
    reject_message,   clock_reply_message,   status_message,   ack_message,
    actuator_message, configuration_message, firmware_message, probed_message,
#if BRIDGE_SENSOR
    sensor_message,   samples_message,
#endif
    stream_message,
};

/* Offsets of the computed values in payloads. */
enum patch {
    STATUS_STATE = 0,
    ACTUATOR_CALIBRATION = 4,
    ACTUATOR_LEVEL_BITS = 12,
    ACTUATOR_FREQUENCY_MAX = 17,
    STATUS_CLOCK = 27,
    ACTUATOR_SUPPLY = 29,
    ACTUATOR_LOCKED = 31,
};

/* ---- Composing ------------------------------------------------------------------------- */

static uint8_t *put_fields(struct frame_sender *sender, uint8_t *at, const uint8_t *fields,
                           const void *subject) {
    uint8_t size;
    while ((size = bridge_flash_byte(fields++)) < TIMED) {
        uint8_t offset = bridge_flash_byte(fields++);
        const uint8_t *from = (const uint8_t *)subject + offset;
        if (size == 0) {
            *at++ = offset;
        }
        for (; size; size--) {
            *at++ = *from++;
        }
    }
    sender->is_timed = size == TIMED;
    return at;
}

static uint8_t *put_u16(uint8_t *at, uint16_t value) {
    *at++ = (uint8_t)value;
    *at++ = (uint8_t)(value >> 8);
    return at;
}

static uint8_t *put_credits(struct bridge *bridge, uint8_t *at) {
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        const struct stream *stream = &bridge->streams[index];
        if (stream->state != BRIDGE_STREAM_CLOSED) {
            *at++ = index;
            *at++ = stream->generation;
            at = put_u16(at, stream->limit_sent);
        }
    }
    return at;
}

static uint8_t state_bits(const struct bridge *bridge) {
    uint8_t bits = bridge->bus_trial == BRIDGE_BUS_SLOW ? STATE_SLOW_BUS : 0;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        const struct actuator *actuator = &bridge->actuators[index];
        if (actuator->is_muted) {
            bits |= STATE_MUTED;
        }
        if (actuator->state >= BRIDGE_ACTUATOR_AWAKE &&
            actuator->state <= BRIDGE_ACTUATOR_CALIBRATING) {
            bits |= STATE_AWAKE;
        }
        if (actuator_value(actuator, actuator->shown) || driver_drives_by_itself(actuator)) {
            bits |= STATE_DRIVING;
        }
    }
    return bits;
}

static void patch_actuator(const struct actuator *actuator, uint8_t *payload) {
    const struct configuration *configuration = &actuator->configuration;
    payload[ACTUATOR_CALIBRATION] &= 0x0F;
    payload[ACTUATOR_CALIBRATION] |= actuator->diagnosis;
    payload[ACTUATOR_LEVEL_BITS] = driver_takes_8_bits(configuration) ? 8 : 7;
    if (driver_has_band(configuration)) {
        const uint8_t *end = &configuration->bytes[CONFIGURATION_BAND_END];
        payload[ACTUATOR_FREQUENCY_MAX] = end[0];
        payload[ACTUATOR_FREQUENCY_MAX + 1] = end[1];
    }
    payload[ACTUATOR_LOCKED] = lock_is_set(&actuator->lock);
    uint16_t supply_mv = driver_supply_mv(actuator);
    payload[ACTUATOR_SUPPLY] = (uint8_t)supply_mv;
    payload[ACTUATOR_SUPPLY + 1] = (uint8_t)(supply_mv >> 8);
}

static uint8_t *compose(struct bridge *bridge, uint8_t answer, uint32_t now_us) {
    struct answers *answers = &bridge->answers;
    uint8_t *body = frame_sender_body(&bridge->sender);
    uint8_t *payload = &body[BRIDGE_HEADER_SIZE];
    uint8_t *at = payload;
    const void *subject = bridge;
    body[1] = answers->sequences[answer];
    answers->sequences[answer] = 0;
    if (answer >= ANSWER_STREAM) {
        *at = (uint8_t)(answer - ANSWER_STREAM);
        subject = bridge_stream(bridge, *at++);
        answer = ANSWER_STREAM;
    } else if (answer == ANSWER_ACTUATOR || answer == ANSWER_CONFIGURATION) {
        *at = BRIDGE_ACTUATOR_COUNT > 1 ? answers->actuators[answer - ANSWER_ACTUATOR] : 0;
        subject = bridge_actuator(bridge, *at++);
    }
#if BRIDGE_SENSOR
    if (answer == ANSWER_SENSOR || answer == ANSWER_SAMPLES) {
        subject = &bridge->sensor;
    }
#endif
    const uint8_t *message = bridge_flash_pointer(&messages[answer]);
    body[0] = bridge_flash_byte(message);
    at = put_fields(&bridge->sender, at, message + 1, subject);
    switch (answer) {
    case ANSWER_ACK:
        at = put_credits(bridge, at);
        answers->ack_flags = 0;
        break;
    case ANSWER_STATUS:
        payload[STATUS_STATE] = state_bits(bridge);
        bridge_put_u32(&payload[STATUS_CLOCK], now_us);
        break;
#if BRIDGE_SENSOR
    case ANSWER_SAMPLES:
        sensor_forget_samples(&bridge->sensor);
        break;
#endif
    case ANSWER_ACTUATOR:
        patch_actuator(subject, payload);
        break;
    case ANSWER_FIRMWARE:
#if BRIDGE_READS_FIRMWARE
        at += board_read_firmware(answers->firmware_block, at);
#endif
        break;
    default:
        break;
    }
    return at;
}

/* Begins the frame of the next pending answer. The search starts after the answer that was sent
   last, so that each answer has its turn even if another answer is requested repeatedly. */
static bool begin_frame(struct bridge *bridge, uint32_t now_us) {
    struct answers *answers = &bridge->answers;
    uint8_t answer = answers->last_sent;
    uint8_t count = bridge->has_session ? ANSWER_COUNT : ANSWER_NO_SESSION + 1;
    uint8_t left = count;
    do {
        if (left-- == 0) {
            return false;
        }
        answer++;
        if (answer >= count) {
            answer = 0;
        }
    } while (!answers->wanted[answer]);
    answers->wanted[answer] = false;
    answers->last_sent = answer;
    frame_sender_begin(&bridge->sender, compose(bridge, answer, now_us), bridge->receiver.session);
    return true;
}

bool answers_poll(struct bridge *bridge, uint32_t now_us) {
    if (bridge->sender.is_ready) {
        return false;
    }
    if (bridge->sender.length == 0) {
        return begin_frame(bridge, now_us);
    }
    frame_sender_step(&bridge->sender, now_us);
    return true;
}
