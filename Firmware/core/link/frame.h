/* Frames (SPEC 2): conversion of bytes to bodies, and of bodies to bytes. */
#ifndef BRIDGE_FRAME_H
#define BRIDGE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "../../protocol/bridge_protocol.h"

/** The bytes of a frame in addition to type, sequence and payload: CRC, stuffing and delimiter. */
#define FRAME_OVERHEAD (BRIDGE_CRC_SIZE + BRIDGE_FRAME_MAX - BRIDGE_BODY_MAX)

enum frame_result {
    FRAME_INCOMPLETE, /**< more bytes are needed */
    FRAME_COMPLETE,   /**< `body` contains a body with a correct CRC */
    FRAME_DAMAGED,    /**< a frame has ended and is discarded */
};

/** A frame that is being received. Stuffing is removed and the CRC is computed as bytes arrive, so
    that each byte takes the same time. A receiver that is all zeros waits for the first byte of a
    frame. */
struct frame_receiver {
    uint32_t session; /**< the session id, which the owner of the receiver sets; 0 if there is no
                         session */
    uint32_t crc;
    uint8_t length;     /**< number of bytes in `body`; includes the CRC until the frame is
                             complete */
    uint8_t block_left; /**< number of bytes up to the next COBS code byte; 0: no frame yet */
    uint8_t body[BRIDGE_BODY_MAX + 1]; /**< one byte more, to detect a frame that is too long */
};

/** Processes one received byte. After FRAME_COMPLETE, `body` and `length` (without the CRC) stay
    valid until the next call. An empty frame has the result FRAME_INCOMPLETE. */
enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte);

/** Processes received bytes up to, but not including, the first delimiter. Returns the number of
    processed bytes. */
uint8_t frame_receive_run(struct frame_receiver *receiver, const uint8_t *bytes, uint8_t count);

/** A frame that is being sent. First, the CRC is computed; then, the bytes are stuffed and taken
    one by one. */
struct frame_sender {
    uint32_t crc;
    uint8_t
        length; /**< length of the body, and later the length of the frame; 0 if the line is free */
    uint8_t position; /**< number of bytes that have been stuffed, and later the number of bytes
                         that have been taken */
    uint8_t code;     /**< the position of the code byte of the current block */
    bool is_timed;    /**< the time must be added to the body */
    volatile bool is_ready; /**< bytes may be taken, possibly by an interrupt */
    uint8_t frame[BRIDGE_FRAME_MAX];
};

/** Returns the buffer for a body; valid while the line is free. */
uint8_t *frame_sender_body(struct frame_sender *sender);

/** Begins the frame of the body that ends before `end`. The caller has already set `is_timed`. */
void frame_sender_begin(struct frame_sender *sender, const uint8_t *end, uint32_t session);

/** Discards a frame that is not ready yet, because its session has ended. */
void frame_sender_drop(struct frame_sender *sender);

/** Executes one step of completing the frame that has been begun. The last step adds the time. */
void frame_sender_step(struct frame_sender *sender, uint32_t now_us);

/** Takes the next byte of a frame. Returns false if no frame is ready. */
bool frame_sender_take(struct frame_sender *sender, uint8_t *byte);

/** Returns the CRC register before the first byte of a body of this type (SPEC 2.1). */
uint32_t frame_crc_start(uint8_t type, uint32_t session);

/** Returns the CRC register after one more byte. */
uint32_t frame_crc_update(uint32_t crc, uint8_t byte);

/** Updates a CRC register in memory with one more byte. */
void frame_crc_add(uint32_t *crc, uint8_t byte);

#endif
