#include "frame.h"

#include "bridge_bytes.h"

#define SUM_STEP 4 /* bytes summed in one step of work: about 45 us on the reference chip */

uint32_t frame_crc_start(uint8_t type, uint32_t session) {
    bool connecting = (type & BRIDGE_CLASS_MASK) == BRIDGE_CLASS_CONNECT;
    return BRIDGE_CRC_INIT ^ (connecting ? 0 : session);
}

uint32_t frame_crc_update(uint32_t crc, uint8_t byte) {
    crc ^= byte;
    for (uint8_t bit = 0; bit < 8; bit++) {
        uint8_t low = (uint8_t)crc;
        crc >>= 1;
        if (low & 1) {
            crc ^= BRIDGE_CRC_POLYNOMIAL;
        }
    }
    return crc;
}

/* Byte `at` of a body enters the register. */
static void sum(uint32_t *crc, const uint8_t *body, uint8_t at, uint32_t session) {
    if (at == 0) {
        *crc = frame_crc_start(body[0], session);
    }
    *crc = frame_crc_update(*crc, body[at]);
}

/* ---- Receiving ------------------------------------------------------------------------- */

static void store(struct frame_receiver *receiver, uint8_t byte, uint32_t session) {
    if (receiver->length < sizeof receiver->body) {
        receiver->body[receiver->length] = byte;
        sum(&receiver->crc, receiver->body, receiver->length++, session);
    }
}

static bool is_whole(const struct frame_receiver *receiver) {
    return receiver->block_left == 1 && receiver->length >= BRIDGE_BODY_MIN &&
           receiver->length <= BRIDGE_BODY_MAX && receiver->crc == BRIDGE_CRC_RESIDUE;
}

static enum frame_result end(struct frame_receiver *receiver) {
    if (!receiver->in_frame) {
        return FRAME_INCOMPLETE;
    }
    receiver->in_frame = false;
    if (!is_whole(receiver)) {
        return FRAME_DAMAGED;
    }
    receiver->length = (uint8_t)(receiver->length - BRIDGE_CRC_SIZE);
    return FRAME_COMPLETE;
}

/* A code byte stands for the zero that the block before it ended in: the one block that ends in
   none is longer than any frame. */
enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte, uint32_t session) {
    if (byte == BRIDGE_DELIMITER) {
        return end(receiver);
    }
    if (!receiver->in_frame) {
        receiver->in_frame = true;
        receiver->length = 0;
        receiver->block_left = byte;
        return FRAME_INCOMPLETE;
    }
    if (--receiver->block_left == 0) {
        receiver->block_left = byte;
        byte = 0;
    }
    store(receiver, byte, session);
    return FRAME_INCOMPLETE;
}

/* ---- Sending --------------------------------------------------------------------------- */

uint8_t *frame_sender_body(struct frame_sender *sender) { return &sender->frame[1]; }

void frame_sender_begin(struct frame_sender *sender, const uint8_t *end) {
    sender->length = (uint8_t)(end - &sender->frame[1]);
    sender->position = 0;
}

void frame_sender_drop(struct frame_sender *sender) {
    if (!sender->is_ready) {
        sender->length = 0;
    }
}

static void finish(struct frame_sender *sender) {
    uint8_t *end = &sender->frame[1 + sender->length];
    bridge_put_u32(end, sender->crc ^ BRIDGE_CRC_XOROUT);
    sender->length = frame_stuff(sender->frame, (uint8_t)(sender->length + BRIDGE_CRC_SIZE));
    sender->position = 0;
    sender->is_ready = true;
}

void frame_sender_step(struct frame_sender *sender, uint32_t session) {
    if (sender->position == sender->length) {
        finish(sender);
        return;
    }
    do {
        sum(&sender->crc, &sender->frame[1], sender->position++, session);
    } while (sender->position % SUM_STEP && sender->position < sender->length);
}

bool frame_sender_take(struct frame_sender *sender, uint8_t *byte) {
    if (!sender->is_ready) {
        return false;
    }
    *byte = sender->frame[sender->position++];
    if (sender->position == sender->length) {
        sender->length = 0;
        sender->is_ready = false;
    }
    return true;
}

uint8_t frame_stuff(uint8_t *frame, uint8_t length) {
    uint8_t *end = &frame[1 + length];
    uint8_t *code = frame;
    *end = BRIDGE_DELIMITER; /* a zero: it closes the last block */
    for (uint8_t *at = frame; at != end;) {
        if (*++at == 0) {
            *code = (uint8_t)(at - code);
            code = at;
        }
    }
    return (uint8_t)(length + 2);
}
