/*
 * What the device has still to say: one pending answer of each type, composed when the line is
 * free, so that no queue can overflow and an answer is never older than its sending.
 */
#ifndef BRIDGE_ANSWERS_H
#define BRIDGE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge_limits.h"

/** In order of urgency, within a turn of all. */
enum answer {
    ANSWER_WELCOME,
    ANSWER_NO_SESSION, /**< the last that is told without a session */
    ANSWER_STOPPED,
    ANSWER_MUTED,
    ANSWER_REJECT,
    ANSWER_CLOCK, /**< asked for by the first type of query, as those that follow by the next */
    ANSWER_STATUS,
    ANSWER_ACK, /**< in place of ANSWER_STREAM */
    ANSWER_ACTUATOR,
    ANSWER_CONFIGURATION,
    ANSWER_STREAM, /**< and one each for the streams that follow */
    ANSWER_COUNT = ANSWER_STREAM + BRIDGE_STREAM_COUNT,
};

/** As it travels: the sequence byte of REJECT, and its payload. */
struct rejection {
    uint8_t sequence;
    uint8_t type;
    uint8_t code;
    uint8_t offset;
    uint32_t limit;
};

/** What answers tell, beside the state of the device itself. All zeros: nothing to say. */
struct answers {
    uint16_t link_limit; /**< wire bytes of sequenced frames that the host may send in all */
    uint8_t next_sequence;
    uint8_t stop_id;
    uint8_t mute_id;
    bool has_stop_id; /**< a STOP has come since HELLO: `stop_id` is its id */
    bool has_mute_id;
    uint32_t clock_us; /**< when CLOCK's last byte had arrived */
    uint32_t hello_us; /**< when HELLO's had */
    uint32_t hello_session;
    struct rejection rejection; /**< the last one; STATUS repeats it */
    bool wanted[ANSWER_COUNT];
    uint8_t told;    /**< the one told last: those behind it have their turn */
    uint8_t version; /**< of WELCOME; 0: none in common */
    uint8_t rejects; /**< REJECTs of the session, modulo 256 */
    uint8_t ack_flags;
    uint8_t sequences[ANSWER_COUNT]; /**< their sequence bytes: the tag of a query; 0 once told */
    /** That ACTUATOR and CONFIGURATION are about, if there is a choice. */
    uint8_t actuators[BRIDGE_ACTUATOR_COUNT > 1 ? 2 : 1];
};

struct bridge;

/** Marks an answer as due. */
void answers_want(struct answers *answers, enum answer answer);

/** Marks the report of a stream as due. */
void answers_want_stream(struct answers *answers, uint8_t index);

/** One step towards the next frame. True if it did something. */
bool answers_poll(struct bridge *bridge, uint32_t now_us);

#endif
