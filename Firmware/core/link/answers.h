/*
 * Answers to the host. At most one answer of each type is pending, and an answer is composed only
 * when the line is free. Therefore, answers cannot overflow a queue, and the contents of each
 * answer are up to date when it is sent.
 */
#ifndef BRIDGE_ANSWERS_H
#define BRIDGE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "../support/limits.h"

/** Answers in order of urgency. */
enum answer {
    ANSWER_WELCOME,
    ANSWER_NO_SESSION, /**< this answer and the preceding answers are also sent without a session */
    ANSWER_STOPPED,
    ANSWER_MUTED,
    ANSWER_REJECT,
    ANSWER_CLOCK, /**< the answer to CLOCK; the following answers are in the order of their queries
                   */
    ANSWER_STATUS,
    ANSWER_ACK, /**< does not answer a query; its position is that of GET_STREAM, which
                   ANSWER_STREAM answers */
    ANSWER_ACTUATOR,
    ANSWER_CONFIGURATION,
    ANSWER_FIRMWARE,
    ANSWER_PROBED,
#if BRIDGE_SENSOR
    ANSWER_SENSOR,
    ANSWER_SAMPLES, /**< answers no query */
#endif
    ANSWER_STREAM, /**< the answer about stream 0; the answers about the other streams follow */
    ANSWER_COUNT = ANSWER_STREAM + BRIDGE_STREAM_COUNT,
};

/** The last rejection: the sequence byte and the payload of REJECT, in their wire format. */
struct rejection {
    uint8_t sequence;
    uint8_t type;
    uint8_t code;
    uint8_t offset;
    uint32_t limit;
};

/** The pending answers, and the values in them that are not part of the state of the device. A
    struct of zeros has no pending answer. */
struct answers {
    uint16_t link_limit; /**< total number of bytes in sequenced frames that the host may send in
                            the session */
    uint8_t next_sequence;
    uint8_t stop_id;
    uint8_t mute_id;
    bool has_stop_id; /**< a STOP with the id `stop_id` has been received since HELLO */
    bool has_mute_id;
    uint32_t clock_us; /**< time at which the last byte of CLOCK arrived */
    uint32_t hello_us; /**< time at which the last byte of HELLO arrived */
    uint32_t hello_session;
    struct rejection rejection; /**< the last rejection; STATUS repeats it */
    bool wanted[ANSWER_COUNT];
    uint8_t last_sent; /**< the answer that was sent last */
    uint8_t version;   /**< the version in WELCOME; 0: no common version */
    uint8_t rejects;   /**< number of rejections in the session, modulo 256 */
    uint8_t ack_flags;
    uint8_t probed;                  /**< the payload of PROBED */
    uint16_t firmware_block;         /**< the block that FIRMWARE contains */
    uint8_t sequences[ANSWER_COUNT]; /**< the sequence byte of each answer, which is the tag of its
                                        query, or 0 once the answer has been sent. */
    /** The actuators that ACTUATOR and CONFIGURATION describe, if there are several. */
    uint8_t actuators[BRIDGE_ACTUATOR_COUNT > 1 ? 2 : 1];
};

#if BRIDGE_READS_FIRMWARE
/** Copies a block of the image from program memory, and returns the size of the block; 0 after the
    end of the image, and while the memory is being written. The board supplies this function. */
uint8_t board_read_firmware(uint16_t block, uint8_t *bytes);
#endif

struct bridge;

/** Marks an answer as pending. */
void answers_want(struct answers *answers, enum answer answer);

/** Marks the answer about a stream as pending. */
void answers_want_stream(struct answers *answers, uint8_t index);

/** Executes one step of composing the next frame. Returns true if there was work to do. */
bool answers_poll(struct bridge *bridge, uint32_t now_us);

#endif
