/* Fuzzes the whole core with arbitrary frames, bytes and times, and with a failing chip. At the
   end, all actuators must be at rest. */
#include <string.h>

#include "Tests/ModelBoard/board.h"
#include "fuzz.h"

#define SESSION 0x12345678u
#define INPUT_MAX 1024
#define PAYLOAD_MAX (BRIDGE_BODY_MAX - BRIDGE_BODY_MIN)

static uint8_t frame_length; /* bytes sent since the last delimiter */

static void take_byte(uint8_t byte) {
    frame_length++;
    PROMISE(frame_length <= BRIDGE_FRAME_MAX);
    if (byte == BRIDGE_DELIMITER) {
        frame_length = 0;
    }
}

/* Checks the invariants, which must always be true for every input. */
static void check(void) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        const struct actuator *actuator = &port_bridge.actuators[index];
        PROMISE(!board.chips[index].otp_programmed);
        bool is_enabled = bridge_enabled(&port_bridge) >> index & 1;
        PROMISE(actuator->state != BRIDGE_ACTUATOR_FAULT || !is_enabled);
    }
    uint32_t memory = 0;
    for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
        const struct stream *stream = &port_bridge.streams[index];
        PROMISE(write_queue_count(&stream->writes) < sizeof stream->writes.entries);
        if (stream->actuators) {
            PROMISE(stream->memory.used <= stream->memory.capacity);
            PROMISE(stream->memory.readable <= stream->memory.used);
            memory += stream->memory.capacity;
        }
    }
    PROMISE(memory <= BRIDGE_EVENT_MEMORY);
}

/* Sends a frame with a valid CRC. This file encodes the frame itself, independently of the core. */
static void send(uint8_t type, uint8_t sequence, const uint8_t *payload, uint8_t length) {
    uint8_t body[BRIDGE_BODY_MAX] = {type, sequence};
    uint8_t count = (uint8_t)(BRIDGE_HEADER_SIZE + length);
    memcpy(body + BRIDGE_HEADER_SIZE, payload, length);
    uint32_t crc = BRIDGE_CRC_INIT ^ (type >> 4 ? port_bridge.receiver.session : 0);
    for (uint8_t index = 0; index < count; index++) {
        crc ^= body[index];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? BRIDGE_CRC_POLYNOMIAL : 0);
        }
    }
    crc ^= BRIDGE_CRC_XOROUT;
    for (int byte = 0; byte < 4; byte++) {
        body[count++] = (uint8_t)(crc >> 8 * byte);
    }
    for (uint8_t start = 0; start <= count;) {
        uint8_t end = start;
        while (end < count && body[end]) {
            end++;
        }
        board_arrive((uint8_t)(end - start + 1));
        for (; start < end; start++) {
            board_arrive(body[start]);
        }
        start++;
    }
    board_arrive(BRIDGE_DELIMITER);
}

static void hello(uint32_t session) {
    uint8_t payload[10] = {1, 1};
    memcpy(payload + 2, &session, sizeof session);
    board_arrive(BRIDGE_DELIMITER);
    send(BRIDGE_HELLO, 0, payload, sizeof payload);
}

/* Adds the current time to the time of START and REVISE, because few arbitrary times would be close
 * to the current time. */
static void date(uint8_t *payload, uint8_t offset, uint8_t length) {
    if (length >= offset + 4) {
        int16_t ahead;
        memcpy(&ahead, payload + offset, sizeof ahead);
        uint32_t time = BRIDGE_CLOCK_AT_BOOT + board.now_us + (uint32_t)(int32_t)ahead * 4;
        memcpy(payload + offset, &time, sizeof time);
    }
}

static void command(struct input *input, bool is_expected) {
    uint8_t type = take(input);
    uint8_t sequence = is_expected ? port_bridge.answers.next_sequence : take(input);
    uint8_t length = take(input) & 63;
    length = length > PAYLOAD_MAX ? PAYLOAD_MAX : length;
    uint8_t payload[64];
    for (uint8_t index = 0; index < length; index++) {
        payload[index] = take(input);
    }
    if (type == BRIDGE_START) {
        date(payload, 3, length);
    } else if (type == BRIDGE_REVISE) {
        date(payload, 2, length);
    }
    send(type, sequence, payload, length);
}

static void fault(uint8_t what) {
    struct drv2605_model *chip = &board.chips[(what >> 6) % BRIDGE_ACTUATOR_COUNT];
    uint64_t now = board.now_us;
    switch (what & 7) {
    case 0:
        drv2605_model_inject_nack(chip, what >> 3 & 7);
        break;
    case 1:
        drv2605_model_inject_nack(chip, 30);
        break;
    case 2:
        drv2605_model_inject_brown_out(chip, now, now + 500);
        break;
    case 3:
        drv2605_model_inject_over_temperature(chip, now, what & 8);
        break;
    case 4:
        drv2605_model_inject_short(chip, now, what & 8);
        break;
    case 5:
        chip->calibration = MODEL_CALIBRATION_FAILS;
        break;
    case 6:
        chip->calibration = MODEL_CALIBRATION_NEVER_FINISHES;
        break;
    default:
        drv2605_model_power(chip, now, what & 8);
        break;
    }
}

/* Without a host all streams are closed, and no actuator is driven. */
static void leave(void) {
    board_run(BRIDGE_DEAD_MAN_US + 200000, 2000);
    check();
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        bool is_calibrating = port_bridge.actuators[index].state == BRIDGE_ACTUATOR_CALIBRATING;
        PROMISE(is_calibrating || drv2605_model_drive(&board.chips[index], board.now_us) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct input input = {bytes, count < INPUT_MAX ? count : INPUT_MAX};
    board_begin(take_byte);
    frame_length = 0;
    hello(SESSION);
    board_run(20000, 1000);
    while (input.left) {
        uint8_t what = take(&input);
        switch (what & 7) {
        case 0:
            board_run(take_16(&input), 500);
            break;
        case 1:
            board_run(take(&input) * 1000u, 1000);
            break;
        case 2:
            board_arrive(take(&input));
            break;
        case 3:
            command(&input, false);
            break;
        case 4:
            fault(take(&input));
            break;
        case 5:
            hello(what >> 3 ? SESSION : take_16(&input) | 0x10000u);
            break;
        default:
            command(&input, true);
            break;
        }
        board_run(200, 200);
        check();
    }
    leave();
    return 0;
}
