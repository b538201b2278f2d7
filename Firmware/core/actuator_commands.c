/* Messages about actuators: gain, mute, configuration, calibration (SPEC 4.3, 4.4, 8). */
#include "command.h"

#include "bridge_bytes.h"
#include "drv2605.h"

struct actuator *command_actuator(struct bridge *bridge, struct command *command) {
    uint8_t index = command->payload[0];
    if (index >= BRIDGE_ACTUATOR_COUNT) {
        command_reject(command, BRIDGE_REJECT_NO_ACTUATOR, 0, BRIDGE_ACTUATOR_COUNT - 1);
        return 0;
    }
    return &bridge->actuators[index];
}

/* Gain and mute reach what has been rendered ahead, and what shows now. */
static void apply_gain(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < writes_count(&bridge->writes); index++) {
        struct bridge_write *write = writes_at(&bridge->writes, index);
        if (write->kind != WRITE_REGISTER) {
            write->value = actuator_value(&bridge->actuators[write->actuator], write->level);
        }
    }
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct actuator *actuator = &bridge->actuators[index];
        if (!(mask >> index & 1) || !drv2605_is_ready(actuator)) {
            continue;
        }
        actuator->immediate |= IMMEDIATE_LEVEL; /* which does not disturb a ROM effect */
        if (actuator->in_effect && actuator->is_muted) {
            actuator->immediate |= IMMEDIATE_GO | IMMEDIATE_MODE;
        }
    }
}

void carry_out_gain(struct bridge *bridge, struct command *command) {
    uint16_t mask = bridge_u16(command->payload);
    if (mask == 0 || (mask & ~ALL_ACTUATORS)) {
        command_reject(command, BRIDGE_REJECT_NO_ACTUATOR, 0, ALL_ACTUATORS);
        return;
    }
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (mask >> index & 1) {
            bridge->actuators[index].gain = command->payload[2];
        }
    }
    apply_gain(bridge, mask);
}

void carry_out_mute(struct bridge *bridge, struct command *command) {
    if (command->payload[0] != bridge->mute_id) {
        bridge->mute_id = command->payload[0];
        uint16_t mask = bridge_u16(&command->payload[1]) & ALL_ACTUATORS;
        for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
            if (mask >> index & 1) {
                bridge->actuators[index].is_muted = command->payload[3];
            }
        }
        apply_gain(bridge, mask);
    }
    answers_want(&bridge->answers, ANSWER_MUTED);
}

static bool actuator_is_resting(struct command *command, const struct actuator *actuator) {
    if (actuator->state == BRIDGE_ACTUATOR_AT_REST && !actuator->is_wanted) {
        return true;
    }
    uint8_t code = actuator->state == BRIDGE_ACTUATOR_FAULT          ? BRIDGE_REJECT_FAULT
                   : actuator->state == BRIDGE_ACTUATOR_UNCONFIGURED ? BRIDGE_REJECT_UNCONFIGURED
                                                                     : BRIDGE_REJECT_NOT_AT_REST;
    command_reject(command, code, 0, actuator->state);
    return false;
}

void carry_out_configure(struct bridge *bridge, struct command *command) {
    struct actuator *actuator = command_actuator(bridge, command);
    if (!actuator) {
        return;
    }
    bool replaceable = actuator->state == BRIDGE_ACTUATOR_UNCONFIGURED ||
                       actuator->state == BRIDGE_ACTUATOR_FAULT ||
                       (actuator->state == BRIDGE_ACTUATOR_STARTING && !actuator->is_wanted);
    if (!replaceable && !actuator_is_resting(command, actuator)) {
        return;
    }
    struct configuration configuration;
    for (uint8_t index = 0; index < CONFIGURATION_SIZE; index++) {
        configuration.bytes[index] = command->payload[1 + index];
    }
    struct configuration_fault fault = configuration_check(&configuration);
    if (fault.code) {
        command_reject(command, fault.code, (uint8_t)(fault.offset + 1), fault.limit);
        return;
    }
    actuator->configuration = configuration;
    actuator->is_configured = true;
    drv2605_start(actuator, command->stamp_us);
}

void carry_out_calibrate(struct bridge *bridge, struct command *command) {
    struct actuator *actuator = command_actuator(bridge, command);
    if (actuator && actuator_is_resting(command, actuator)) {
        drv2605_calibrate(actuator, command->type == BRIDGE_DIAGNOSE, command->stamp_us);
        answers_want(&bridge->answers, ANSWER_STATUS);
    }
}

void carry_out_save(struct bridge *bridge, struct command *command) {
    const struct actuator *actuator = command_actuator(bridge, command);
    if (!actuator) {
        return;
    }
    if (!(bridge->board.features & BRIDGE_FEATURE_STORAGE)) {
        command_reject(command, BRIDGE_REJECT_UNSUPPORTED, 0, 0);
    } else if (!actuator->is_configured) {
        command_reject(command, BRIDGE_REJECT_UNCONFIGURED, 0, command->payload[0]);
    } else {
        bridge->save |= (uint16_t)(1u << command->payload[0]);
    }
}

void carry_out_enter_bootloader(struct bridge *bridge, struct command *command) {
    if (!(bridge->board.features & BRIDGE_FEATURE_BOOTLOADER)) {
        command_reject(command, BRIDGE_REJECT_UNSUPPORTED, 0, 0);
        return;
    }
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        uint8_t state = bridge->actuators[index].state;
        bool resting = state == BRIDGE_ACTUATOR_AT_REST || state == BRIDGE_ACTUATOR_FAULT ||
                       state == BRIDGE_ACTUATOR_UNCONFIGURED;
        if (!resting || bridge->actuators[index].is_wanted) {
            command_reject(command, BRIDGE_REJECT_NOT_AT_REST, 0, index);
            return;
        }
    }
    bridge->wants_bootloader = true;
}
