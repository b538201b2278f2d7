#include "frame.h"

static void begin(struct frame_receiver *receiver) {
    receiver->length = 0;
    receiver->wire_length = 0;
    receiver->block_left = 0;
    receiver->zero_due = false;
    receiver->too_long = false;
    receiver->ended = false;
}

void frame_receiver_init(struct frame_receiver *receiver) {
    begin(receiver);
    receiver->crc = 0;
}

uint32_t frame_crc_start(uint8_t type, uint32_t session) {
    bool connecting = (type & BRIDGE_CLASS_MASK) == BRIDGE_CLASS_CONNECT;
    return BRIDGE_CRC_INIT ^ (connecting ? 0 : session);
}

uint32_t frame_crc_update(uint32_t crc, uint8_t byte) {
    crc ^= byte;
    for (uint8_t bit = 0; bit < 8; bit++) {
        crc = (crc & 1) ? (crc >> 1) ^ BRIDGE_CRC_POLYNOMIAL : crc >> 1;
    }
    return crc;
}

static void store(struct frame_receiver *receiver, uint8_t byte, uint32_t session) {
    if (receiver->length == BRIDGE_BODY_MAX) {
        receiver->too_long = true;
        return;
    }
    if (receiver->length == 0) {
        receiver->crc = frame_crc_start(byte, session);
    }
    receiver->body[receiver->length++] = byte;
    receiver->crc = frame_crc_update(receiver->crc, byte);
}

static bool is_whole(const struct frame_receiver *receiver) {
    return receiver->block_left == 0 && !receiver->too_long &&
           receiver->length >= BRIDGE_BODY_MIN && receiver->crc == BRIDGE_CRC_RESIDUE;
}

static enum frame_result end(struct frame_receiver *receiver) {
    receiver->ended = true;
    if (receiver->wire_length == 1) {
        return FRAME_INCOMPLETE;
    }
    if (!is_whole(receiver)) {
        return FRAME_DAMAGED;
    }
    receiver->length = (uint8_t)(receiver->length - BRIDGE_CRC_SIZE);
    return FRAME_COMPLETE;
}

enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte, uint32_t session) {
    if (receiver->ended) {
        begin(receiver);
    }
    if (receiver->wire_length != UINT8_MAX) {
        receiver->wire_length++;
    }
    if (byte == BRIDGE_DELIMITER) {
        return end(receiver);
    }
    if (receiver->block_left == 0) {
        if (receiver->zero_due) {
            store(receiver, 0, session);
        }
        receiver->block_left = (uint8_t)(byte - 1);
        receiver->zero_due = byte != 0xFF;
    } else {
        store(receiver, byte, session);
        receiver->block_left--;
    }
    return FRAME_INCOMPLETE;
}

uint8_t frame_stuff(uint8_t *frame, uint8_t length) {
    uint8_t code_at = 0;
    for (uint8_t at = 1; at <= length; at++) {
        if (frame[at] == 0) {
            frame[code_at] = (uint8_t)(at - code_at);
            code_at = at;
        }
    }
    frame[code_at] = (uint8_t)(length + 1 - code_at);
    frame[length + 1] = BRIDGE_DELIMITER;
    return (uint8_t)(length + 2);
}
