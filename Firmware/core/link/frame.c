#include "frame.h"

#include "../support/bytes.h"
#include "../support/compiler.h"
#include "../support/critical.h"

/* The number of bytes added to the CRC in one step of work, which takes about 35 us on the
   ATmega328P. */
#define SUM_STEP 4

static bool is_of_class_connect(uint8_t type) {
    return (type & BRIDGE_CLASS_MASK) == BRIDGE_CLASS_CONNECT;
}

uint32_t frame_crc_start(uint8_t type, uint32_t session) {
    return BRIDGE_CRC_INIT ^ (is_of_class_connect(type) ? 0 : session);
}

BRIDGE_INLINE uint32_t update(uint32_t crc, uint8_t byte, uint32_t polynomial) {
    crc ^= byte;
#ifdef BRIDGE_CRC_SHIFT
    BRIDGE_CRC_SHIFT(crc, polynomial);
#else
    for (uint8_t bit = 0; bit < 8; bit++) {
        crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    }
#endif
    return crc;
}

uint32_t frame_crc_update(uint32_t crc, uint8_t byte) {
    return update(crc, byte, BRIDGE_CRC_POLYNOMIAL);
}

void frame_crc_add(uint32_t *crc, uint8_t byte) { *crc = frame_crc_update(*crc, byte); }

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

/* Processes bytes up to a delimiter. A code byte represents the zero at the end of the preceding
   block. Only a block of the maximum COBS length, which exceeds any frame, has no such zero. */
uint8_t frame_receive_run(struct frame_receiver *receiver, const uint8_t *bytes, uint8_t count) {
    receiver = BRIDGE_OPTIMIZER_HIDE(receiver);
    uint8_t left = count;
    uint32_t crc = receiver->crc;
    uint32_t polynomial = BRIDGE_CRC_POLYNOMIAL;
    for (; left && *bytes != BRIDGE_DELIMITER; left--) {
        uint8_t byte = *bytes++;
        if (receiver->block_left == 0) {
            receiver->length = 0;
            receiver->block_left = byte;
            crc = BRIDGE_CRC_INIT ^ receiver->session;
            continue;
        }
        if (--receiver->block_left == 0) {
            receiver->block_left = byte;
            byte = 0;
        }
        uint8_t at = receiver->length;
        if (at == 0 && is_of_class_connect(byte)) {
            crc = BRIDGE_CRC_INIT;
        }
        if (at < sizeof receiver->body) {
            receiver->length++;
            receiver->body[at] = byte;
            crc = update(crc, byte, polynomial);
        }
    }
    receiver->crc = crc;
    return (uint8_t)(count - left);
}

enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte) {
    if (byte == BRIDGE_DELIMITER) {
        return end(receiver);
    }
    frame_receive_run(receiver, &byte, 1);
    return FRAME_INCOMPLETE;
}

/* ---- Sending --------------------------------------------------------------------------- */

uint8_t *frame_sender_body(struct frame_sender *sender) { return &sender->frame[1]; }

void frame_sender_begin(struct frame_sender *sender, const uint8_t *end, uint32_t session) {
    sender->crc = frame_crc_start(sender->frame[1], session);
    sender->length = (uint8_t)(end - &sender->frame[1]);
    sender->position = 0;
    sender->code = 0;
}

void frame_sender_drop(struct frame_sender *sender) {
    if (!sender->is_ready) {
        sender->length = 0;
    }
}

/* Stuffs the next byte of the body, and returns the byte. */
static uint8_t stuff(struct frame_sender *sender) {
    uint8_t at = ++sender->position;
    uint8_t byte = sender->frame[at];
    if (byte == 0) {
        sender->frame[sender->code] = (uint8_t)(at - sender->code);
        sender->code = at;
    }
    return byte;
}

/* Appends the CRC and the delimiter. Stuffing the delimiter, which is a zero, closes the last
   block. */
static void finish(struct frame_sender *sender) {
    uint8_t *end = &sender->frame[1 + sender->length];
    *bridge_put_u32(end, sender->crc ^ BRIDGE_CRC_XOROUT) = BRIDGE_DELIMITER;
    for (uint8_t left = BRIDGE_CRC_SIZE + 1; left; left--) {
        stuff(sender);
    }
    sender->length = (uint8_t)(sender->position + 1);
    sender->position = 0;
    BRIDGE_CRITICAL_ENTER /* ensures that the frame is complete in memory before an interrupt takes
                             it */
        sender->is_ready = true;
    BRIDGE_CRITICAL_EXIT
}

/* Ends a frame. The time is added last, so that it is as close as possible to the time at which the
   frame is sent. */
void frame_sender_step(struct frame_sender *sender, uint32_t now_us) {
    sender = BRIDGE_OPTIMIZER_HIDE(sender);
    bool is_last = sender->position == sender->length;
    if (is_last && sender->is_timed) {
        bridge_put_u32(&sender->frame[1 + sender->length], now_us);
        sender->length = (uint8_t)(sender->length + sizeof now_us);
    }
    for (uint8_t left = SUM_STEP; left && sender->position < sender->length; left--) {
        frame_crc_add(&sender->crc, stuff(sender));
    }
    if (is_last) {
        finish(sender);
    }
}

bool frame_sender_take(struct frame_sender *sender, uint8_t *byte) {
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
