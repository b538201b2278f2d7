#include "reject.h"

#include "message.h"

void command_reject_wide(struct bridge *bridge, uint8_t code, uint8_t offset, uint32_t limit) {
    bridge->answers.rejection = (struct rejection){
        .sequence = message_sequence(bridge),
        .type = message_type(bridge),
        .code = code,
        .offset = offset,
        .limit = limit,
    };
    bridge->answers.sequences[ANSWER_REJECT] = message_sequence(bridge);
    bridge->answers.rejects++;
    answers_want(&bridge->answers, ANSWER_REJECT);
}

void command_reject(struct bridge *bridge, uint8_t code, uint8_t offset, uint16_t limit) {
    command_reject_wide(bridge, code, offset, limit);
}

void command_refuse(struct bridge *bridge, uint8_t code) { command_reject(bridge, code, 0, 0); }
