/* Fuzzes frames (SPEC 2). Checks that, for every input, the two receiving functions return the same
 * frames, and that every frame that is sent is also received. */
#include <string.h>

#include "Firmware/core/link/frame.h"
#include "fuzz.h"

static void same(const struct frame_receiver *one, const struct frame_receiver *other) {
    PROMISE(one->length == other->length && one->crc == other->crc);
    PROMISE(one->block_left == other->block_left);
    PROMISE(memcmp(one->body, other->body, one->length) == 0);
}

/* Receives the input twice: byte by byte, and in runs that end at the delimiters, as a port does.
 * */
static void receive(const uint8_t *bytes, size_t count, uint32_t session) {
    struct frame_receiver single = {.session = session};
    struct frame_receiver runs = {.session = session};
    for (size_t next = 0; next < count;) {
        uint8_t most = count - next < 200 ? (uint8_t)(count - next) : 200;
        uint8_t taken = frame_receive_run(&runs, bytes + next, most);
        PROMISE(taken <= most);
        for (uint8_t index = 0; index < taken; index++) {
            PROMISE(frame_receive(&single, bytes[next + index]) == FRAME_INCOMPLETE);
        }
        next += taken;
        if (next < count) {
            enum frame_result result = frame_receive(&single, bytes[next]);
            PROMISE(frame_receive(&runs, bytes[next]) == result);
            PROMISE(result != FRAME_COMPLETE || single.length <= BRIDGE_BODY_MAX - BRIDGE_CRC_SIZE);
            PROMISE(result != FRAME_COMPLETE || single.length >= BRIDGE_HEADER_SIZE);
            same(&single, &runs);
            next++;
        }
    }
}

static uint8_t send(const uint8_t *body, uint8_t length, uint32_t session, uint8_t *wire) {
    struct frame_sender sender = {0};
    memcpy(frame_sender_body(&sender), body, length);
    frame_sender_begin(&sender, frame_sender_body(&sender) + length, session);
    for (int steps = 0; !sender.is_ready; steps++) {
        PROMISE(steps < 400);
        frame_sender_step(&sender, 0);
    }
    uint8_t count = 0;
    uint8_t byte;
    while (frame_sender_take(&sender, &byte)) {
        PROMISE(count < BRIDGE_FRAME_MAX);
        wire[count++] = byte;
    }
    return count;
}

/* Encodes and decodes a body. If the frame is damaged in transit, the receiver returns the same
   body or no body. */
static void round_trip(struct input *input, uint32_t session) {
    uint8_t flipped = take(input);
    uint8_t mask = take(input);
    if (input->left < BRIDGE_HEADER_SIZE || input->left > BRIDGE_BODY_MAX - BRIDGE_CRC_SIZE) {
        return;
    }
    uint8_t length = (uint8_t)input->left;
    uint8_t wire[BRIDGE_FRAME_MAX];
    uint8_t count = send(input->bytes, length, session, wire);
    bool is_damaged = flipped < count && mask;
    if (flipped < count) {
        wire[flipped] ^= mask;
    }
    struct frame_receiver receiver = {.session = session};
    for (uint8_t index = 0; index < count; index++) {
        enum frame_result result = frame_receive(&receiver, wire[index]);
        if (result == FRAME_COMPLETE) {
            PROMISE(!is_damaged && index + 1 == count && receiver.length == length);
            PROMISE(memcmp(receiver.body, input->bytes, length) == 0);
            return;
        }
    }
    PROMISE(is_damaged);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct input input = {bytes, count};
    uint8_t way = take(&input);
    uint32_t session = way & 2 ? 0x12345678 : 0;
    if (way & 1) {
        round_trip(&input, session);
    } else {
        receive(input.bytes, input.left, session);
    }
    return 0;
}
