/*
 * What the device has still to say: one pending answer of each type, composed when the line is
 * free, so that no queue can overflow and an answer is never older than its sending.
 */
#ifndef BRIDGE_ANSWERS_H
#define BRIDGE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/bridge_protocol.h"
#include "bridge_limits.h"

/** In order of urgency. */
enum answer {
    ANSWER_STOPPED,
    ANSWER_MUTED,
    ANSWER_CLOCK,
    ANSWER_WELCOME,
    ANSWER_NO_SESSION,
    ANSWER_REJECT,
    ANSWER_ACK,
    ANSWER_STATUS,
    ANSWER_STREAM,
    ANSWER_ACTUATOR,
    ANSWER_CONFIGURATION,
    ANSWER_COUNT,
};

struct rejection {
    uint8_t sequence;
    uint8_t type;
    uint8_t code;
    uint8_t offset;
    uint32_t limit;
};

struct answers {
    uint32_t crc;
    uint32_t clock_us; /**< when the byte that asked for CLOCK or WELCOME had arrived */
    struct rejection rejection;
    uint16_t pending; /**< bit n: enum answer */
    uint16_t streams; /**< streams to report, a mask */
    uint8_t version;  /**< of WELCOME; 0: none in common */
    uint32_t hello_session;
    uint8_t rejects; /**< REJECTs of the session, modulo 256 */
    uint8_t ack_flags;
    uint8_t clock_tag;
    uint8_t status_tag;
    uint8_t stream_tag;
    uint8_t tagged_stream; /**< the one that was asked for with `stream_tag` */
    uint8_t actuator_tag;
    uint8_t actuator;
    uint8_t configuration_tag;
    uint8_t configuration;
    uint8_t length; /**< of the body, then of the frame; 0: the line is free */
    uint8_t summed; /**< bytes of the body in the CRC */
    uint8_t sent;   /**< bytes of the frame handed out */
    bool is_ready;  /**< stuffed: bytes may be taken */
    uint8_t frame[BRIDGE_FRAME_MAX];
};

struct bridge;

/** Marks an answer as due. */
void answers_want(struct answers *answers, enum answer answer);

/** Records a rejection and marks it as due. */
void answers_reject(struct answers *answers, const struct rejection *rejection);

/** Forgets what was to be said in a session that has ended. */
void answers_reset(struct answers *answers);

/** One step towards the next frame. True if it did something. */
bool answers_poll(struct bridge *bridge, uint32_t now_us);

/** The next byte of a frame that is ready. */
bool answers_take_byte(struct answers *answers, uint8_t *byte);

#endif
