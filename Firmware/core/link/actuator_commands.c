#include "actuator_commands.h"

#include "../driver/driver.h"
#include "../support/bytes.h"
#include "../support/compiler.h"
#include "message.h"
#include "reject.h"

uint16_t command_read_actuators(struct bridge *bridge, uint8_t offset) {
    uint16_t mask = bridge_u16(&message_payload(bridge)[offset]);
    uint16_t all = (uint16_t)((1u << bridge_actuators(bridge)) - 1);
    if (mask == 0 || (mask & ~all)) {
        command_reject(bridge, BRIDGE_REJECT_NO_ACTUATOR, offset, all);
        return 0;
    }
    return mask;
}

/* The values of queued writes are computed first. Therefore, the comparison that follows detects
   whether an interrupt has taken a write with its old value in the meantime. */
void commands_rewrite_levels(struct bridge *bridge, uint16_t mask) {
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        if (BRIDGE_ACTUATOR_COUNT == 1 || (bridge->streams[index].actuators & mask)) {
            stream_remake_writes(&bridge->streams[index]);
        }
    }
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        struct actuator *actuator = &bridge->actuators[index];
        if (actuator_is_in(mask, index) &&
            actuator_value(actuator, actuator->shown) != actuator->driven) {
            actuator->needs_rewrite = true;
        }
    }
}

void handle_gain(struct bridge *bridge, const uint8_t *payload) {
    uint16_t mask = command_read_actuators(bridge, 0);
    if (!mask) {
        return;
    }
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (actuator_is_in(mask, index)) {
            bridge->actuators[index].gain = payload[2];
        }
    }
    commands_rewrite_levels(bridge, mask);
}

/* Mutes or unmutes an actuator. Muting cancels a running calibration, because a calibration drives
   the actuator without a level that could be muted. */
static void mute(const struct bridge *bridge, struct actuator *actuator, bool is_muted) {
    actuator->is_muted = is_muted;
    if (is_muted) {
        driver_cancel_calibration(actuator, message_time(bridge));
    }
}

void handle_mute(struct bridge *bridge, const uint8_t *payload) {
    if (payload[0] != bridge->answers.mute_id || !bridge->answers.has_mute_id) {
        bridge->answers.mute_id = payload[0];
        bridge->answers.has_mute_id = true;
        uint16_t mask = bridge_u16(&payload[1]);
        for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
            if (mask >> index & 1) {
                mute(bridge, &bridge->actuators[index], payload[3]);
            }
        }
        commands_rewrite_levels(bridge, mask);
    }
    answers_want(&bridge->answers, ANSWER_MUTED);
}

/* Returns the reject code for a message that requires an actuator to be at rest (enum
   bridge_reject_code); 0 if the actuator is at rest. */
static uint8_t busy_reason(const struct actuator *actuator) {
    return actuator->wake_requested                          ? BRIDGE_REJECT_NOT_AT_REST
           : actuator->state == BRIDGE_ACTUATOR_AT_REST      ? BRIDGE_REJECT_NONE
           : actuator->state == BRIDGE_ACTUATOR_FAULT        ? BRIDGE_REJECT_FAULT
           : actuator->state == BRIDGE_ACTUATOR_UNCONFIGURED ? BRIDGE_REJECT_UNCONFIGURED
                                                             : BRIDGE_REJECT_NOT_AT_REST;
}

/* Checks a configuration; the next step applies it (commands_configure). */
void handle_configure(struct bridge *bridge, const uint8_t *payload, struct actuator *actuator) {
    const struct configuration *configuration = (const struct configuration *)&payload[1];
    if (actuator->wake_requested || (actuator->state >= BRIDGE_ACTUATOR_AWAKE &&
                                     actuator->state <= BRIDGE_ACTUATOR_CALIBRATING)) {
        command_reject(bridge, BRIDGE_REJECT_NOT_AT_REST, 0, actuator->state);
        return;
    }
    struct configuration_fault fault = configuration_check(configuration, &actuator->lock);
    if (fault.code) {
        command_reject(bridge, fault.code, (uint8_t)(fault.offset + 1), fault.limit);
        return;
    }
    bridge->configuration_pending = true;
}

/* Applies a checked configuration. If an older host omits bytes at the end, these bytes become 0
   (SPEC 4.1). If the actuator is locked, a host cannot change its calibration results (SPEC
   8.6). */
void commands_configure(struct bridge *bridge) {
    const uint8_t *payload = message_payload(bridge);
    struct actuator *actuator = bridge_actuator(bridge, *payload++);
    uint8_t *bytes = actuator->configuration.bytes;
    uint8_t sent = message_rest(bridge, 1);
    bool is_locked = lock_is_set(&actuator->lock);
    bridge->configuration_pending = false;
    if (is_locked && !actuator->is_configured) {
        driver_forget_calibration(&actuator->configuration);
    }
    for (uint8_t index = 0; index < CONFIGURATION_SIZE; index++) {
        uint8_t kept = is_locked ? driver_calibration_mask(index) : 0;
        uint8_t byte = index < sent ? payload[index] : 0;
        bytes[index] = (uint8_t)((byte & ~kept) | (bytes[index] & kept));
    }
    actuator->is_configured = true;
    driver_start(actuator, message_time(bridge));
}

void handle_calibrate(struct bridge *bridge, struct actuator *actuator, bool diagnose) {
    actuator = BRIDGE_OPTIMIZER_HIDE(actuator);
    uint8_t code = busy_reason(actuator);
    if (code) {
        command_reject(bridge, code, 0, actuator->state);
        return;
    }
    if (actuator->is_over_budget || actuator->is_muted) {
        command_refuse(bridge, actuator->is_muted ? BRIDGE_REJECT_MUTED : BRIDGE_REJECT_BUDGET);
        return;
    }
    driver_calibrate(actuator, diagnose, message_time(bridge));
    answers_want(&bridge->answers, ANSWER_STATUS);
}

static bool has(const struct bridge *bridge, uint8_t feature) {
    return BRIDGE_FEATURES & bridge->board.features & feature;
}

bool commands_find_moving(const struct bridge *bridge, uint8_t *moving) {
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (busy_reason(&bridge->actuators[index]) == BRIDGE_REJECT_NOT_AT_REST) {
            *moving = index;
            return true;
        }
    }
    return false;
}

/* If an actuator is moving, rejects the message and returns true. */
static bool reject_if_moving(struct bridge *bridge) {
    uint8_t moving;
    if (!commands_find_moving(bridge, &moving)) {
        return false;
    }
    command_reject(bridge, BRIDGE_REJECT_NOT_AT_REST, 0, moving);
    return true;
}

/* If the records of an actuator cannot be stored now, rejects the message and returns true. */
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

void handle_save(struct bridge *bridge, uint8_t index) {
    if (!reject_if_not_storable(bridge, &bridge->actuators[index])) {
        bridge->save |= (uint16_t)(1u << index);
    }
}

void handle_lock(struct bridge *bridge, uint8_t index) {
    struct actuator *actuator = &bridge->actuators[index];
    if (!reject_if_not_storable(bridge, actuator)) {
        lock_take(&actuator->lock, &actuator->configuration);
        bridge->save_lock |= (uint16_t)(1u << index);
    }
}

void handle_probe(struct bridge *bridge, uint8_t address) {
    if (address < BRIDGE_PROBE_ADDRESS_MIN || address > BRIDGE_PROBE_ADDRESS_MAX) {
        command_reject(bridge, BRIDGE_REJECT_RANGE, 0, BRIDGE_PROBE_ADDRESS_MAX);
    } else if (!reject_if_moving(bridge)) {
        bridge->probe = address;
        bridge->answers.sequences[ANSWER_PROBED] = message_sequence(bridge);
    }
}

void handle_enter_bootloader(struct bridge *bridge) {
    if (!has(bridge, BRIDGE_FEATURE_BOOTLOADER)) {
        command_refuse(bridge, BRIDGE_REJECT_UNSUPPORTED);
    } else if (!reject_if_moving(bridge)) {
        bridge->wants_bootloader = true;
    }
}
