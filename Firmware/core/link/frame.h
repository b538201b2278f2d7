/* Frames (SPEC 2): bytes to bodies, and bodies to bytes. */
#ifndef BRIDGE_FRAME_H
#define BRIDGE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "../../protocol/bridge_protocol.h"

/** The bytes of a frame in addition to type, sequence and payload: CRC, stuffing and delimiter. */
#define FRAME_OVERHEAD (BRIDGE_CRC_SIZE + BRIDGE_FRAME_MAX - BRIDGE_BODY_MAX)

enum frame_result {
    FRAME_INCOMPLETE, /**< more bytes are needed */
    FRAME_COMPLETE,   /**< `body` holds a body whose CRC is right */
    FRAME_DAMAGED,    /**< a frame has ended and is discarded */
};

/** A frame that is being received. Stuffing is removed and the CRC is computed as bytes arrive, so
    that all bytes take the same time. All zeros, it waits for the first byte of a frame. */
struct frame_receiver {
    uint32_t session; /**< 0: none; set by the owner */
    uint32_t crc;
    uint8_t length;     /**< bytes in `body`; the CRC included until the frame is complete */
    uint8_t block_left; /**< bytes up to the next COBS code byte; 0: no frame yet */
    uint8_t body[BRIDGE_BODY_MAX + 1]; /**< one byte more, to detect a frame that is too long */
};

/** Processes one received byte. After FRAME_COMPLETE, `body` and `length` (without the CRC) stay
    valid until the next call. Empty frames are FRAME_INCOMPLETE. */
enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte);

/** Processes received bytes up to the first delimiter, which is left. Returns their number. */
uint8_t frame_receive_run(struct frame_receiver *receiver, const uint8_t *bytes, uint8_t count);

/** A frame that is being sent: the CRC is computed, bytes are stuffed, and then taken one by
    one. */
struct frame_sender {
    uint32_t crc;
    uint8_t length;         /**< of the body, then of the frame; 0: the line is free */
    uint8_t position;       /**< bytes that have been stuffed, later bytes that have been taken */
    uint8_t code;           /**< the place for the length of the present block */
    bool is_timed;          /**< the time must be added to the body */
    volatile bool is_ready; /**< bytes may be taken, perhaps by an interrupt */
    uint8_t frame[BRIDGE_FRAME_MAX];
};

/** The buffer for a body, while the line is free. */
uint8_t *frame_sender_body(struct frame_sender *sender);

/** Begins the frame of the body that ends before `end`; `is_timed` has been set. */
void frame_sender_begin(struct frame_sender *sender, const uint8_t *end, uint32_t session);

/** Discards a frame that is not ready yet, because its session has ended. */
void frame_sender_drop(struct frame_sender *sender);

/** Does one step towards a frame that is ready; there must be a body. The last step adds the time.
 */
void frame_sender_step(struct frame_sender *sender, uint32_t now_us);

/** Takes the next byte of a frame. Returns false if none is ready. */
bool frame_sender_take(struct frame_sender *sender, uint8_t *byte);

/** The CRC register before the first byte of a body of this type (SPEC 2.1). */
uint32_t frame_crc_start(uint8_t type, uint32_t session);

/** The CRC register after one more byte. */
uint32_t frame_crc_update(uint32_t crc, uint8_t byte);

/** Updates a CRC register in memory with one more byte. */
void frame_crc_add(uint32_t *crc, uint8_t byte);

#endif
