/* Messages about actuators: gain, mute, configuration, calibration (SPEC 4.3, 4.4, 8). */
#include "command.h"

#include "bridge_bytes.h"
#include "drv2605.h"

uint16_t command_actuators(struct bridge *bridge, uint8_t offset) {
    uint16_t mask = bridge_u16(&command_payload(bridge)[offset]);
    uint16_t all = command_all_actuators(bridge);
    if (mask == 0 || (mask & ~all)) {
        command_reject(bridge, BRIDGE_REJECT_NO_ACTUATOR, offset, all);
        return 0;
    }
    return mask;
}

/* Gain and mute reach what has been rendered ahead, and what shows now. */
void commands_show_anew(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (actuator_is_in(mask, index)) {
            bridge->actuators[index].shows_old_gain = true;
        }
    }
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        if (bridge->streams[index].actuators & mask) {
            stream_show_anew(&bridge->streams[index]);
        }
    }
}

void carry_out_gain(struct bridge *bridge, const uint8_t *payload) {
    uint16_t mask = command_actuators(bridge, 0);
    if (!mask) {
        return;
    }
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (actuator_is_in(mask, index)) {
            bridge->actuators[index].gain = payload[2];
        }
    }
    commands_show_anew(bridge, mask);
}

/* A calibration drives without a level that could be muted. */
static void mute(const struct bridge *bridge, struct actuator *actuator, bool is_muted) {
    actuator->is_muted = is_muted;
    if (is_muted) {
        drv2605_cancel_calibration(actuator, command_time(bridge));
    }
}

void carry_out_mute(struct bridge *bridge, const uint8_t *payload) {
    if (payload[0] != bridge->answers.mute_id || !bridge->answers.has_mute_id) {
        bridge->answers.mute_id = payload[0];
        bridge->answers.has_mute_id = true;
        uint16_t mask = bridge_u16(&payload[1]);
        for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
            if (mask >> index & 1) {
                mute(bridge, &bridge->actuators[index], payload[3]);
            }
        }
        commands_show_anew(bridge, mask);
    }
    answers_want(&bridge->answers, ANSWER_MUTED);
}

/* Why an actuator does not rest, or 0. */
static uint8_t unrest(const struct actuator *actuator) {
    return actuator->is_wanted                               ? BRIDGE_REJECT_NOT_AT_REST
           : actuator->state == BRIDGE_ACTUATOR_AT_REST      ? BRIDGE_REJECT_NONE
           : actuator->state == BRIDGE_ACTUATOR_FAULT        ? BRIDGE_REJECT_FAULT
           : actuator->state == BRIDGE_ACTUATOR_UNCONFIGURED ? BRIDGE_REJECT_UNCONFIGURED
                                                             : BRIDGE_REJECT_NOT_AT_REST;
}

/* Checked in one step, taken over in the next. */
void carry_out_configure(struct bridge *bridge, const uint8_t *payload, struct actuator *actuator) {
    const struct configuration *configuration = (const struct configuration *)&payload[1];
    if (actuator->is_wanted || (actuator->state >= BRIDGE_ACTUATOR_AWAKE &&
                                actuator->state <= BRIDGE_ACTUATOR_CALIBRATING)) {
        command_reject(bridge, BRIDGE_REJECT_NOT_AT_REST, 0, actuator->state);
        return;
    }
    struct configuration_fault fault = configuration_check(configuration, &actuator->lock);
    if (fault.code) {
        command_reject(bridge, fault.code, (uint8_t)(fault.offset + 1), fault.limit);
        return;
    }
    bridge->configures = true;
}

void commands_configure(struct bridge *bridge) {
    const uint8_t *payload = command_payload(bridge);
    struct actuator *actuator = bridge_actuator(bridge, payload[0]);
    bridge->configures = false;
    actuator->configuration = *(const struct configuration *)&payload[1];
    actuator->is_configured = true;
    drv2605_start(actuator, command_time(bridge));
}

void carry_out_calibrate(struct bridge *bridge, struct actuator *actuator, bool diagnose) {
    actuator = BRIDGE_HELD(actuator);
    uint8_t code = unrest(actuator);
    if (code) {
        command_reject(bridge, code, 0, actuator->state);
        return;
    }
    if (actuator->is_over_budget || actuator->is_muted) {
        command_refuse(bridge, actuator->is_muted ? BRIDGE_REJECT_MUTED : BRIDGE_REJECT_BUDGET);
        return;
    }
    drv2605_calibrate(actuator, diagnose, command_time(bridge));
    answers_want(&bridge->answers, ANSWER_STATUS);
}

static bool has(const struct bridge *bridge, uint8_t feature) {
    return BRIDGE_FEATURES & bridge->board.features & feature;
}

/* True, and a rejection, if an actuator moves. */
static bool reject_if_moving(struct bridge *bridge) {
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (unrest(&bridge->actuators[index]) == BRIDGE_REJECT_NOT_AT_REST) {
            command_reject(bridge, BRIDGE_REJECT_NOT_AT_REST, 0, index);
            return true;
        }
    }
    return false;
}

/* True, and a rejection, if an actuator has nothing that could be stored now. */
static bool reject_if_not_storable(struct bridge *bridge, const struct actuator *actuator) {
    if (!has(bridge, BRIDGE_FEATURE_STORAGE)) {
        command_refuse(bridge, BRIDGE_REJECT_UNSUPPORTED);
        return true;
    }
    if (!actuator->is_configured) {
        command_refuse(bridge, BRIDGE_REJECT_UNCONFIGURED);
        return true;
    }
    return BRIDGE_STORES_AT_REST && reject_if_moving(bridge);
}

void carry_out_save(struct bridge *bridge, uint8_t index) {
    if (!reject_if_not_storable(bridge, &bridge->actuators[index])) {
        bridge->save |= (uint16_t)(1u << index);
    }
}

void carry_out_lock(struct bridge *bridge, uint8_t index) {
    struct actuator *actuator = &bridge->actuators[index];
    if (!reject_if_not_storable(bridge, actuator)) {
        lock_take(&actuator->lock, &actuator->configuration);
        bridge->save_lock |= (uint16_t)(1u << index);
    }
}

void carry_out_enter_bootloader(struct bridge *bridge) {
    if (!has(bridge, BRIDGE_FEATURE_BOOTLOADER)) {
        command_refuse(bridge, BRIDGE_REJECT_UNSUPPORTED);
    } else if (!reject_if_moving(bridge)) {
        bridge->wants_bootloader = true;
    }
}
