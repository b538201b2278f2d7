#include "bridge.h"

#include "link/actuator_commands.h"
#include "link/commands.h"
#include "support/time.h"

void bridge_init(struct bridge *bridge) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        actuator_init(&bridge->actuators[index]);
        driver_start(&bridge->actuators[index], bridge_time_counts(BRIDGE_CLOCK_AT_BOOT));
    }
    for (uint8_t index = 1; index < BRIDGE_STREAM_COUNT; index++) {
        write_queue_init(&bridge->streams[index].writes, index);
    }
    answers_want(&bridge->answers, ANSWER_NO_SESSION);
#if BRIDGE_SENSOR
    bus_schedule_address_driver(bridge);
#endif
    bridge->board.features = BRIDGE_FEATURE_REVISE | BRIDGE_FEATURE_CALIBRATION |
                             (BRIDGE_HAS_BAND ? BRIDGE_FEATURE_BAND : 0);
#if !BRIDGE_HAS_ALL
    bridge->board.actuators = 1;
    bridge->board.streams = 1;
#endif
}

bool bridge_load(struct bridge *bridge, uint8_t actuator,
                 const struct configuration *configuration) {
    if (actuator >= BRIDGE_ACTUATOR_COUNT ||
        configuration_check(configuration, &bridge->actuators[actuator].lock).code) {
        return false;
    }
    struct configuration *target = &bridge->actuators[actuator].configuration;
    if (configuration != target) {
        *target = *configuration;
    }
    bridge->actuators[actuator].is_configured = true;
    return true;
}

void bridge_load_lock(struct bridge *bridge, uint8_t actuator, const struct lock *lock) {
    struct lock *target = &bridge->actuators[actuator].lock;
    if (lock != target) {
        *target = *lock;
    }
    if (lock->bytes[LOCK_KIND] == LOCK_DAMAGED) {
        bridge_storage_failed(bridge); /* the lock is not stored again, because the record may only
                                          have been misread */
    } else if (lock_is_set(lock)) {
        bridge->save_lock |= (uint16_t)(1u << actuator);
    }
}

/* The maximum heat that may have been added since the port last stored the heat, in milliseconds of
   full level: the sum of the interval at which the port stores the heat, the interval at which the
   core updates it, and the fraction of a unit that is not stored. */
#define HEAT_UNKEPT 3

void bridge_load_heat(struct bridge *bridge, uint8_t actuator, uint16_t heat) {
    struct actuator *target = &bridge->actuators[actuator];
    uint16_t kept = (uint16_t)(heat + HEAT_UNKEPT);
    if (kept < heat) {
        kept = UINT16_MAX;
    }
    target->heat = (uint32_t)kept << 16;
    target->is_over_budget = true; /* until the core has counted the heat */
}

/* ---- State for the port ------------------------------------------------------------------- */

bool bridge_has_byte(const struct bridge *bridge) { return bridge->sender.is_ready; }

uint16_t bridge_enabled(const struct bridge *bridge) {
    uint16_t mask = 0;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (bridge->actuators[index].is_enabled) {
            mask |= (uint16_t)(1u << index);
        }
    }
    return mask;
}

static bool take_bit(uint16_t *mask, uint8_t *actuator) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        uint16_t bit = (uint16_t)(1u << index);
        if (*mask & bit) {
            *mask &= (uint16_t)~bit;
            *actuator = index;
            return true;
        }
    }
    return false;
}

bool bridge_take_save(struct bridge *bridge, uint8_t *actuator) {
    return take_bit(&bridge->save, actuator);
}

bool bridge_take_lock(struct bridge *bridge, uint8_t *actuator) {
    return take_bit(&bridge->save_lock, actuator);
}

uint8_t bridge_take_probe(struct bridge *bridge) {
    if (!bridge->probe || !bridge_bus_is_free(bridge) || bridge_next_write(bridge)) {
        return 0;
    }
    uint8_t address = bridge->probe;
    bridge->probe = 0;
    return address;
}

void bridge_probe_done(struct bridge *bridge, uint8_t address, bool acknowledged) {
    bridge->answers.probed = acknowledged ? address | BRIDGE_PROBED_ACKNOWLEDGED : address;
    answers_want(&bridge->answers, ANSWER_PROBED);
}

bool bridge_wants_bootloader(const struct bridge *bridge) {
    uint8_t moving;
    return bridge->wants_bootloader && !commands_find_moving(bridge, &moving);
}
