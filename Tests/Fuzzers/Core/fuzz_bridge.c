/* The whole core: any frames, any bytes, any time, a chip that fails. In the end it is at rest. */
#include "board.h"

#include <string.h>

#define SESSION 0x12345678u
#define INPUT_MAX 1024
#define PAYLOAD_MAX (BRIDGE_BODY_MAX - BRIDGE_BODY_MIN)

static struct board board;

/* A frame whose CRC is right, written here a second time. */
static void send(uint8_t type, uint8_t sequence, const uint8_t *payload, uint8_t length) {
    uint8_t body[BRIDGE_BODY_MAX] = {type, sequence};
    uint8_t count = (uint8_t)(BRIDGE_HEADER_SIZE + length);
    memcpy(body + BRIDGE_HEADER_SIZE, payload, length);
    uint32_t crc = BRIDGE_CRC_INIT ^ (type >> 4 ? board.core.receiver.session : 0);
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
        board_receive(&board, (uint8_t)(end - start + 1));
        for (; start < end; start++) {
            board_receive(&board, body[start]);
        }
        start++;
    }
    board_receive(&board, BRIDGE_DELIMITER);
}

static void hello(uint32_t session) {
    uint8_t payload[10] = {1, 1};
    memcpy(payload + 2, &session, sizeof session);
    board_receive(&board, BRIDGE_DELIMITER);
    send(BRIDGE_HELLO, 0, payload, sizeof payload);
}

/* The times of START and REVISE are meant from now on, or few would be near. */
static void date(uint8_t *payload, uint8_t offset, uint8_t length) {
    if (length >= offset + 4) {
        int16_t ahead;
        memcpy(&ahead, payload + offset, sizeof ahead);
        uint32_t time = board_clock(&board) + (uint32_t)(int32_t)ahead * 4;
        memcpy(payload + offset, &time, sizeof time);
    }
}

static void command(struct input *input, bool is_expected) {
    uint8_t type = take(input);
    uint8_t sequence = is_expected ? board.core.answers.next_sequence : take(input);
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

/* Without a host all streams close, and nothing drives. */
static void leave(void) {
    board_run(&board, BRIDGE_DEAD_MAN_US + 200000, 2000);
    board_check(&board);
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        bool is_calibrating = board.core.actuators[index].state == BRIDGE_ACTUATOR_CALIBRATING;
        PROMISE(is_calibrating || drv2605_model_drive(&board.chips[index], board.now_us) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct input input = {bytes, count < INPUT_MAX ? count : INPUT_MAX};
    board_begin(&board);
    hello(SESSION);
    board_run(&board, 20000, 1000);
    while (input.left) {
        uint8_t what = take(&input);
        switch (what & 7) {
        case 0:
            board_run(&board, take_16(&input), 500);
            break;
        case 1:
            board_run(&board, take(&input) * 1000u, 1000);
            break;
        case 2:
            board_receive(&board, take(&input));
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
        board_run(&board, 200, 200);
        board_check(&board);
    }
    leave();
    return 0;
}
