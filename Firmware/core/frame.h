/* Frames (SPEC 2): bytes in, bodies out, and back. Nothing here knows a message. */
#ifndef BRIDGE_FRAME_H
#define BRIDGE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"

/** Bytes on the wire beside type, sequence and payload: CRC, stuffing and delimiter. */
#define FRAME_OVERHEAD (BRIDGE_CRC_SIZE + BRIDGE_FRAME_MAX - BRIDGE_BODY_MAX)

enum frame_result {
    FRAME_INCOMPLETE, /**< more bytes are needed */
    FRAME_COMPLETE,   /**< `body` holds a body whose CRC is right */
    FRAME_DAMAGED,    /**< a frame ended and is dropped */
};

/**
 * Undoes byte stuffing and sums up as bytes arrive, so that no byte costs more than another. All
 * zeros, it waits for a frame's first byte.
 */
struct frame_receiver {
    uint32_t session; /**< 0: none; its owner sets it */
    uint32_t crc;
    uint8_t length;     /**< bytes in `body`; the CRC included until the frame is complete */
    uint8_t block_left; /**< bytes until the next COBS code byte, it included; 0: no frame yet */
    uint8_t body[BRIDGE_BODY_MAX + 1]; /**< one more tells that a frame is too long */
};

/**
 * Takes one byte off the wire. After FRAME_COMPLETE, `body` and `length` (without the CRC) stay
 * valid until the next call. Empty frames are FRAME_INCOMPLETE.
 */
enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte);

/** Takes bytes off the wire up to the first delimiter, and returns how many: of a frame that goes
   on only. */
uint8_t frame_receive_run(struct frame_receiver *receiver, const uint8_t *bytes, uint8_t count);

/** A frame on its way out: summed up, stuffed, then handed out byte by byte. */
struct frame_sender {
    uint32_t crc;
    uint8_t length;         /**< of the body, then of the frame; 0: the line is free */
    uint8_t position;       /**< bytes summed up and stuffed, then bytes handed out */
    uint8_t code;           /**< where the length of the present block goes */
    bool is_timed;          /**< the time is still to be put behind the body */
    volatile bool is_ready; /**< stuffed: bytes may be taken, by an interrupt perhaps */
    uint8_t frame[BRIDGE_FRAME_MAX];
};

/** Where the body goes, while the line is free. */
uint8_t *frame_sender_body(struct frame_sender *sender);

/** Takes the body that ends before `end`; `is_timed` has been set. */
void frame_sender_begin(struct frame_sender *sender, const uint8_t *end, uint32_t session);

/** Forgets a frame that is not ready yet: its session has ended. */
void frame_sender_drop(struct frame_sender *sender);

/** One step towards a frame that is ready; there must be a body. The last step puts in the time. */
void frame_sender_step(struct frame_sender *sender, uint32_t now_us);

/** The next byte of a frame that is ready. */
bool frame_sender_take(struct frame_sender *sender, uint8_t *byte);

/** The CRC register before the first byte of a body of this type (SPEC 2.1). */
uint32_t frame_crc_start(uint8_t type, uint32_t session);

/** The CRC register after one more byte. */
uint32_t frame_crc_update(uint32_t crc, uint8_t byte);

/** The same where the register lies. */
void frame_crc_add(uint32_t *crc, uint8_t byte);

#endif
