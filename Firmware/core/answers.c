#include "answers.h"

#include "bridge.h"
#include "bridge_bytes.h"
#include "drv2605.h"

#define SUM_STEP 4 /* bytes summed in one step of work: about 45 us on the reference chip */
#define STATE_MUTED 0x01
#define STATE_AWAKE 0x02
#define STATE_DRIVING 0x04

/* What may be said without a session. */
#define CONNECT_ANSWERS (1u << ANSWER_WELCOME | 1u << ANSWER_NO_SESSION)

_Static_assert(BRIDGE_ACK_SIZE + BRIDGE_STREAM_COUNT * BRIDGE_CREDIT_SIZE <= BRIDGE_PAYLOAD_MAX,
               "an ACK has room for the credit of every stream");

#define CORE_FEATURES (BRIDGE_FEATURE_REVISE | BRIDGE_FEATURE_CALIBRATION)

void answers_want(struct answers *answers, enum answer answer) {
    answers->pending |= (uint16_t)(1u << answer);
}

void answers_reject(struct answers *answers, const struct rejection *rejection) {
    answers->rejection = *rejection;
    answers->rejects++;
    answers_want(answers, ANSWER_REJECT);
}

void answers_reset(struct answers *answers) {
    answers->pending = 0;
    answers->streams = 0;
    answers->rejects = 0;
    answers->ack_flags = 0;
    answers->status_tag = 0;
    answers->stream_tag = 0;
    answers->rejection = (struct rejection){0};
}

/* ---- Payloads, in the order of SPEC 4 --------------------------------------------------- */

static uint8_t *put_welcome(const struct bridge *bridge, uint8_t *at) {
    at = bridge_put_u8(at, bridge->answers.version);
    at = bridge_put_u8(at, BRIDGE_VERSION_MIN);
    at = bridge_put_u8(at, BRIDGE_VERSION_MAX);
    at = bridge_put_u32(at, bridge->answers.hello_session);
    at = bridge_put_u32(at, bridge->board.features | CORE_FEATURES);
    at = bridge_put_u32(at, (uint32_t)bridge->board.board_id);
    at = bridge_put_u32(at, (uint32_t)(bridge->board.board_id >> 32));
    at = bridge_put_u16(at, bridge->board.firmware);
    at = bridge_put_u8(at, BRIDGE_ACTUATOR_COUNT);
    at = bridge_put_u8(at, BRIDGE_STREAM_COUNT);
    at = bridge_put_u16(at, BRIDGE_EVENT_MEMORY);
    at = bridge_put_u16(at, BRIDGE_LINK_WINDOW);
    at = bridge_put_u8(at, BRIDGE_BODY_MAX);
    at = bridge_put_u8(at, bridge->board.reset_cause);
    at = bridge_put_u16(at, bridge->board.boot_count);
    return bridge_put_u32(at, bridge->answers.clock_us);
}

static uint8_t *put_no_session(const struct bridge *bridge, uint8_t *at, uint32_t now_us) {
    at = bridge_put_u8(at, bridge->board.reset_cause);
    at = bridge_put_u16(at, bridge->board.boot_count);
    return bridge_put_u32(at, now_us);
}

static uint8_t *put_ack(struct bridge *bridge, uint8_t *at) {
    at = bridge_put_u8(at, bridge->next_sequence);
    at = bridge_put_u8(at, bridge->answers.ack_flags);
    at = bridge_put_u16(at, (uint16_t)(bridge->link_total + BRIDGE_LINK_WINDOW));
    at = bridge_put_u8(at, bridge->answers.rejects);
    bridge->answers.ack_flags = 0;
    for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
        struct stream *stream = &bridge->streams[index];
        if (stream->state == BRIDGE_STREAM_CLOSED) {
            continue;
        }
        stream->limit_told = event_memory_limit(&stream->memory);
        at = bridge_put_u8(at, index);
        at = bridge_put_u8(at, stream->generation);
        at = bridge_put_u16(at, stream->limit_told);
    }
    return at;
}

static uint8_t *put_reject(const struct bridge *bridge, uint8_t *at) {
    const struct rejection *rejection = &bridge->answers.rejection;
    at = bridge_put_u8(at, rejection->type);
    at = bridge_put_u8(at, rejection->code);
    at = bridge_put_u8(at, rejection->offset);
    return bridge_put_u32(at, rejection->limit);
}

static uint8_t state_bits(const struct bridge *bridge) {
    uint8_t bits = 0;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        const struct actuator *actuator = &bridge->actuators[index];
        if (actuator->is_muted) {
            bits |= STATE_MUTED;
        }
        if (actuator->state == BRIDGE_ACTUATOR_AWAKE ||
            actuator->state == BRIDGE_ACTUATOR_COMING_TO_REST ||
            actuator->state == BRIDGE_ACTUATOR_CALIBRATING) {
            bits |= STATE_AWAKE;
        }
        if (actuator->in_effect || actuator_value(actuator, actuator->shown)) {
            bits |= STATE_DRIVING;
        }
    }
    return bits;
}

static uint8_t *put_status(const struct bridge *bridge, uint8_t *at, uint32_t now_us) {
    const struct bridge_counters *counters = &bridge->counters;
    at = bridge_put_u8(at, state_bits(bridge));
    at = bridge_put_u8(at, bridge->fault_total);
    at = bridge_put_u16(at, bridge->faults);
    at = bridge_put_u16(at, counters->damaged_frames);
    at = bridge_put_u16(at, counters->late_events);
    at = bridge_put_u32(at, counters->latest_us);
    at = bridge_put_u16(at, counters->skipped_taps);
    at = bridge_put_u16(at, counters->underruns);
    at = bridge_put_u16(at, counters->dead_man_trips);
    at = bridge_put_u16(at, counters->bus_errors);
    at = bridge_put_u16(at, counters->chip_resets);
    at = bridge_put_u8(at, bridge->answers.rejection.sequence);
    at = bridge_put_u8(at, bridge->answers.rejection.type);
    at = bridge_put_u8(at, bridge->answers.rejection.code);
    at = bridge_put_u8(at, bridge->answers.rejects);
    at = bridge_put_u8(at, bridge->actuators[0].gain);
    return bridge_put_u32(at, now_us);
}

static uint8_t *put_stream(const struct bridge *bridge, uint8_t *at, uint8_t index) {
    const struct stream *stream = &bridge->streams[index];
    at = bridge_put_u8(at, index);
    at = bridge_put_u8(at, stream->generation);
    at = bridge_put_u8(at, stream->state);
    at = bridge_put_u16(at, stream->actuators);
    at = bridge_put_u16(at, stream->memory.capacity);
    at = bridge_put_u16(at, event_memory_limit(&stream->memory));
    at = bridge_put_u32(at, stream->start_us);
    at = bridge_put_u32(at, stream->newest_tick);
    at = bridge_put_u32(at, stream->revised_us);
    at = bridge_put_u32(at, stream->revised_position);
    return bridge_put_u16(at, stream->events);
}

static uint8_t *put_actuator(const struct bridge *bridge, uint8_t *at) {
    const struct actuator *actuator = &bridge->actuators[bridge->answers.actuator];
    const uint8_t *configuration = actuator->configuration.bytes;
    bool has_effects = configuration_has_effects(&actuator->configuration);
    bool is_unsigned = configuration_is_unsigned(&actuator->configuration);
    uint16_t resonance = bridge_u16(&configuration[CONFIGURATION_RESONANCE]);
    at = bridge_put_u8(at, bridge->answers.actuator);
    at = bridge_put_u8(at, actuator->state);
    at = bridge_put_u8(at, actuator->chip_id);
    at = bridge_put_u8(at, configuration[CONFIGURATION_KIND]);
    at = bridge_put_u8(at, (uint8_t)((configuration[CONFIGURATION_CALIBRATION] & 0x0F) |
                                     actuator->diagnosis << 4));
    at = bridge_put_u8(at, configuration[CONFIGURATION_LOCALITY]);
    at = bridge_put_u16(at, resonance);
    at = bridge_put_u16(at, bridge_u16(&configuration[CONFIGURATION_RATED]));
    at = bridge_put_u16(at, bridge_u16(&configuration[CONFIGURATION_OVERDRIVE]));
    at = bridge_put_u8(at, is_unsigned ? 8 : 7);
    at = bridge_put_u8(at, actuator->is_configured && has_effects ? BRIDGE_EFFECT_MAX : 0);
    at = bridge_put_u16(at, BRIDGE_RAMP_STEP_US);
    at = bridge_put_u16(at, resonance);
    at = bridge_put_u16(at, resonance);
    at = bridge_put_u16(at, bridge_u16(&configuration[CONFIGURATION_ONSET]));
    at = bridge_put_u16(at, configuration[CONFIGURATION_RISE]);
    at = bridge_put_u16(at, configuration[CONFIGURATION_BRAKE]);
    at = bridge_put_u16(at, bridge_u16(&configuration[CONFIGURATION_TAP_DULL]));
    at = bridge_put_u16(at, bridge_u16(&configuration[CONFIGURATION_TAP_SHARP]));
    return bridge_put_u16(at, actuator->supply_mv);
}

static uint8_t *put_configuration(const struct bridge *bridge, uint8_t *at) {
    const struct actuator *actuator = &bridge->actuators[bridge->answers.configuration];
    at = bridge_put_u8(at, bridge->answers.configuration);
    for (uint8_t index = 0; index < CONFIGURATION_SIZE; index++) {
        at = bridge_put_u8(at, actuator->configuration.bytes[index]);
    }
    return at;
}

/* ---- Composing ------------------------------------------------------------------------- */

static uint8_t take_stream(struct answers *answers) {
    uint8_t index = 0;
    while (!(answers->streams >> index & 1)) {
        index++;
    }
    answers->streams &= (uint16_t) ~(1u << index);
    if (answers->streams) {
        answers_want(answers, ANSWER_STREAM);
    }
    return index;
}

static uint8_t take_tag(uint8_t *tag) {
    uint8_t value = *tag;
    *tag = 0;
    return value;
}

static uint8_t *begin(struct answers *answers, uint8_t type, uint8_t sequence) {
    answers->frame[1] = type;
    answers->frame[2] = sequence;
    return &answers->frame[1 + BRIDGE_HEADER_SIZE];
}

static uint8_t *compose(struct bridge *bridge, enum answer answer, uint32_t now_us) {
    struct answers *answers = &bridge->answers;
    uint8_t *at;
    uint8_t index;
    uint8_t tag;
    switch (answer) {
    case ANSWER_STOPPED:
        return bridge_put_u8(begin(answers, BRIDGE_STOPPED, 0), bridge->stop_id);
    case ANSWER_MUTED:
        return bridge_put_u8(begin(answers, BRIDGE_MUTED, 0), bridge->mute_id);
    case ANSWER_CLOCK:
        at = begin(answers, BRIDGE_CLOCK_REPLY, answers->clock_tag);
        return bridge_put_u32(bridge_put_u32(at, answers->clock_us), now_us);
    case ANSWER_WELCOME:
        return put_welcome(bridge, begin(answers, BRIDGE_WELCOME, 0));
    case ANSWER_NO_SESSION:
        return put_no_session(bridge, begin(answers, BRIDGE_NO_SESSION, 0), now_us);
    case ANSWER_REJECT:
        return put_reject(bridge, begin(answers, BRIDGE_REJECT, answers->rejection.sequence));
    case ANSWER_ACK:
        return put_ack(bridge, begin(answers, BRIDGE_ACK, 0));
    case ANSWER_STATUS:
        at = begin(answers, BRIDGE_STATUS, take_tag(&answers->status_tag));
        return put_status(bridge, at, now_us);
    case ANSWER_STREAM:
        index = take_stream(answers);
        tag = index == answers->tagged_stream ? take_tag(&answers->stream_tag) : 0;
        return put_stream(bridge, begin(answers, BRIDGE_STREAM, tag), index);
    case ANSWER_ACTUATOR:
        return put_actuator(bridge, begin(answers, BRIDGE_ACTUATOR, answers->actuator_tag));
    default:
        at = begin(answers, BRIDGE_CONFIGURATION, answers->configuration_tag);
        return put_configuration(bridge, at);
    }
}

static bool begin_frame(struct bridge *bridge, uint32_t now_us) {
    struct answers *answers = &bridge->answers;
    if (!bridge->session) {
        answers->pending &= CONNECT_ANSWERS;
    }
    if (!answers->pending) {
        return false;
    }
    uint8_t answer = 0;
    while (!(answers->pending >> answer & 1)) {
        answer++;
    }
    answers->pending &= (uint16_t) ~(1u << answer);
    const uint8_t *end = compose(bridge, (enum answer)answer, now_us);
    answers->length = (uint8_t)(end - &answers->frame[1]);
    answers->crc = frame_crc_start(answers->frame[1], bridge->session);
    answers->summed = 0;
    answers->sent = 0;
    answers->is_ready = false;
    return true;
}

static void sum(struct answers *answers) {
    for (uint8_t step = 0; step < SUM_STEP && answers->summed < answers->length; step++) {
        answers->crc = frame_crc_update(answers->crc, answers->frame[1 + answers->summed]);
        answers->summed++;
    }
}

static void finish_frame(struct answers *answers) {
    bridge_put_u32(&answers->frame[1 + answers->length], answers->crc ^ BRIDGE_CRC_XOROUT);
    answers->length = frame_stuff(answers->frame, (uint8_t)(answers->length + BRIDGE_CRC_SIZE));
    answers->is_ready = true;
}

bool answers_poll(struct bridge *bridge, uint32_t now_us) {
    struct answers *answers = &bridge->answers;
    if (answers->is_ready) {
        return false;
    }
    if (answers->length == 0) {
        return begin_frame(bridge, now_us);
    }
    if (answers->summed < answers->length) {
        sum(answers);
    } else {
        finish_frame(answers);
    }
    return true;
}

bool answers_take_byte(struct answers *answers, uint8_t *byte) {
    if (!answers->is_ready) {
        return false;
    }
    *byte = answers->frame[answers->sent++];
    if (answers->sent == answers->length) {
        answers->length = 0;
        answers->is_ready = false;
    }
    return true;
}
