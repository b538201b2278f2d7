/* Frames (SPEC 2): bytes in, bodies out, and back. Nothing here knows a message. */
#ifndef BRIDGE_FRAME_H
#define BRIDGE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"

enum frame_result {
    FRAME_INCOMPLETE, /**< more bytes are needed */
    FRAME_COMPLETE,   /**< `body` holds a body whose CRC is right */
    FRAME_DAMAGED,    /**< a frame ended and is dropped */
};

/** Undoes byte stuffing and sums up as bytes arrive, so that no byte costs more than another. */
struct frame_receiver {
    uint8_t length;      /**< bytes in `body`; the CRC included until the frame is complete */
    uint8_t wire_length; /**< bytes since the last delimiter, this one included; stops at 255 */
    uint8_t block_left;  /**< bytes until the next COBS code byte */
    bool zero_due;       /**< the running block ends in a zero */
    bool too_long;
    bool ended; /**< the next byte begins a frame */
    uint32_t crc;
    uint8_t body[BRIDGE_BODY_MAX];
};

/** Waiting for the first byte of a frame. */
void frame_receiver_init(struct frame_receiver *receiver);

/**
 * Takes one byte off the wire. After FRAME_COMPLETE, `body` and `length` (without the CRC) and
 * `wire_length` stay valid until the next call. Empty frames are FRAME_INCOMPLETE.
 */
enum frame_result frame_receive(struct frame_receiver *receiver, uint8_t byte, uint32_t session);

/** The CRC register before the first byte of a body of this type (SPEC 2.1). */
uint32_t frame_crc_start(uint8_t type, uint32_t session);

/** The CRC register after one more byte. About 175 cycles on an AVR, without a table. */
uint32_t frame_crc_update(uint32_t crc, uint8_t byte);

/**
 * Stuffs a body in place and ends it with a delimiter. `frame[1]` on holds the body on entry;
 * `frame` has room for `length` + 2 bytes. Returns the bytes on the wire.
 */
uint8_t frame_stuff(uint8_t *frame, uint8_t length);

#endif
