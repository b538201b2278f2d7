#include "frame.h"

#include "bridge_bytes.h"
#include "bridge_outline.h"

#define SUM_STEP 4 /* bytes summed in one step of work: about 35 us on the reference chip */

static bool is_of_class_connect(uint8_t type) {
    return (type & BRIDGE_CLASS_MASK) == BRIDGE_CLASS_CONNECT;
}

uint32_t frame_crc_start(uint8_t type, uint32_t session) {
    return BRIDGE_CRC_INIT ^ (is_of_class_connect(type) ? 0 : session);
}

uint32_t frame_crc_update(uint32_t crc, uint8_t byte) {
    crc ^= byte;
#ifdef BRIDGE_CRC_SHIFT
    BRIDGE_CRC_SHIFT(crc);
#else
    for (uint8_t bit = 0; bit < 8; bit++) {
        crc = crc & 1 ? crc >> 1 ^ BRIDGE_CRC_POLYNOMIAL : crc >> 1;
    }
#endif
    return crc;
}

BRIDGE_OUTLINE void frame_crc_add(uint32_t *crc, uint8_t byte) {
    *crc = frame_crc_update(*crc, byte);
}

/* ---- Receiving ------------------------------------------------------------------------- */

static enum frame_result end(struct frame_receiver *receiver) {
    uint8_t left = receiver->block_left;
    if (left == 0) {
        return FRAME_INCOMPLETE;
    }
    receiver->block_left = 0;
    if (left != 1 || receiver->length < BRIDGE_BODY_MIN || receiver->length > BRIDGE_BODY_MAX ||
        receiver->crc != BRIDGE_CRC_RESIDUE) {
        return FRAME_DAMAGED;
    }
    receiver->length = (uint8_t)(receiver->length - BRIDGE_CRC_SIZE);
    return FRAME_COMPLETE;
}

/* A code byte stands for the zero that the block before it ended in: the one block that ends in
   none is longer than any frame. */
enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte) {
    receiver = BRIDGE_HELD(receiver);
    if (byte == BRIDGE_DELIMITER) {
        return end(receiver);
    }
    if (receiver->block_left == 0) {
        receiver->length = 0;
        receiver->crc = BRIDGE_CRC_INIT ^ receiver->session;
        receiver->block_left = byte;
        return FRAME_INCOMPLETE;
    }
    if (--receiver->block_left == 0) {
        receiver->block_left = byte;
        byte = 0;
    }
    uint8_t at = receiver->length;
    if (at == 0 && is_of_class_connect(byte)) {
        receiver->crc = BRIDGE_CRC_INIT;
    }
    if (at < sizeof receiver->body) {
        receiver->length++;
        receiver->body[at] = byte;
        frame_crc_add(&receiver->crc, byte);
    }
    return FRAME_INCOMPLETE;
}

/* ---- Sending --------------------------------------------------------------------------- */

uint8_t *frame_sender_body(struct frame_sender *sender) { return &sender->frame[1]; }

void frame_sender_begin(struct frame_sender *sender, const uint8_t *end, uint32_t session) {
    sender = BRIDGE_HELD(sender);
    sender->crc = frame_crc_start(sender->frame[1], session);
    sender->length = (uint8_t)(end - &sender->frame[1]);
    sender->position = 0;
}

void frame_sender_drop(struct frame_sender *sender) {
    if (!sender->is_ready) {
        sender->length = 0;
    }
}

/* The time goes in when all else is done: as near to when the answer leaves as can be. */
static uint8_t *put_time(struct frame_sender *sender, uint8_t *at, uint32_t now_us) {
    uint8_t *end = bridge_put_u32(at, now_us);
    while (at != end) {
        frame_crc_add(&sender->crc, *at++);
    }
    sender->length = (uint8_t)(sender->length + sizeof now_us);
    return end;
}

static void finish(struct frame_sender *sender, uint32_t now_us) {
    uint8_t *end = &sender->frame[1 + sender->length];
    if (sender->is_timed) {
        end = put_time(sender, end, now_us);
    }
    bridge_put_u32(end, sender->crc ^ BRIDGE_CRC_XOROUT);
    sender->length = frame_stuff(sender->frame, (uint8_t)(sender->length + BRIDGE_CRC_SIZE));
    sender->position = 0;
    sender->is_ready = true;
}

void frame_sender_step(struct frame_sender *sender, uint32_t now_us) {
    sender = BRIDGE_HELD(sender);
    if (sender->position == sender->length) {
        finish(sender, now_us);
        return;
    }
    do {
        frame_crc_add(&sender->crc, sender->frame[++sender->position]);
    } while (sender->position % SUM_STEP && sender->position < sender->length);
}

bool frame_sender_take(struct frame_sender *sender, uint8_t *byte) {
    sender = BRIDGE_HELD(sender);
    if (!sender->is_ready) {
        return false;
    }
    uint8_t next = sender->frame[sender->position++];
    *byte = next;
    if (next == BRIDGE_DELIMITER) {
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
