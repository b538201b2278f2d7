/*
 * Answers to the host: at most one pending answer of each type, composed when the line is free. No
 * queue can overflow, and the contents of an answer are current when it is sent.
 */
#ifndef BRIDGE_ANSWERS_H
#define BRIDGE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "../support/limits.h"

/** Answers in order of urgency. */
enum answer {
    ANSWER_WELCOME,
    ANSWER_NO_SESSION, /**< this answer and the preceding ones are also sent without a session */
    ANSWER_STOPPED,
    ANSWER_MUTED,
    ANSWER_REJECT,
    ANSWER_CLOCK, /**< answers CLOCK; the following answers are in the order of the queries */
    ANSWER_STATUS,
    ANSWER_ACK, /**< takes the position of the answer to GET_STREAM, which is ANSWER_STREAM */
    ANSWER_ACTUATOR,
    ANSWER_CONFIGURATION,
    ANSWER_STREAM, /**< of stream 0; the answers of the other streams follow */
    ANSWER_COUNT = ANSWER_STREAM + BRIDGE_STREAM_COUNT,
};

/** The last rejection: the sequence byte and the payload of REJECT, in the format of the wire. */
struct rejection {
    uint8_t sequence;
    uint8_t type;
    uint8_t code;
    uint8_t offset;
    uint32_t limit;
};

/** The pending answers, and the values in them that are not state of the device. All zeros: no
    answer is pending. */
struct answers {
    uint16_t link_limit; /**< total wire bytes of sequenced frames that the host may send */
    uint8_t next_sequence;
    uint8_t stop_id;
    uint8_t mute_id;
    bool has_stop_id; /**< a STOP was received since HELLO; `stop_id` is its id */
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
    uint8_t sequences[ANSWER_COUNT]; /**< the sequence byte of each answer: the tag of a query; 0
                                          once sent */
    /** The actuators that ACTUATOR and CONFIGURATION describe, if there are several. */
    uint8_t actuators[BRIDGE_ACTUATOR_COUNT > 1 ? 2 : 1];
};

struct bridge;

/** Marks an answer as pending. */
void answers_want(struct answers *answers, enum answer answer);

/** Marks the answer about a stream as pending. */
void answers_want_stream(struct answers *answers, uint8_t index);

/** Executes one step towards the next frame. Returns true if there was work to do. */
bool answers_poll(struct bridge *bridge, uint32_t now_us);

#endif
