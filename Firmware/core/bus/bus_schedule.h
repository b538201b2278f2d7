/*
 * The schedule of the bus: the selection of the next transfer, and the effects of its result.
 *
 * Timed writes have precedence. Untimed transfers are made in the gaps between timed writes: the
 * transfers of the driver, and the transfers that rewrite levels for a new gain. A port calls these
 * functions through bridge.h, which documents the contract. Functions that an interrupt uses are
 * inline, because an interrupt that calls a function must save all registers.
 */
#ifndef BRIDGE_BUS_SCHEDULE_H
#define BRIDGE_BUS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "../device.h"
#include "../driver/driver.h"
#include "../support/compiler.h"

/* ---- Timed writes ------------------------------------------------------------------------ */

/** True if a mask is not empty and the chips of all actuators in it accept levels. */
BRIDGE_INLINE bool bus_schedule_are_ready(const struct bridge *bridge, uint8_t mask) {
    const struct actuator *actuator = bridge->actuators;
#if BRIDGE_ACTUATOR_COUNT > 1
    if (!mask) {
        return false;
    }
    for (; mask > 1; mask >>= 1, actuator++) {
        if ((mask & 1) && !driver_is_ready(actuator)) {
            return false;
        }
    }
#else
    (void)mask;
#endif
    return driver_is_ready(actuator);
}

/** True while timed writes wait for an untimed transfer, because they left no gap for this
    transfer. */
static inline bool bus_schedule_writes_wait(const struct bridge *bridge) {
#if BRIDGE_ACTUATOR_COUNT > 1
    return bridge->writes_wait;
#else
    (void)bridge;
    return false;
#endif
}

/** Returns the first timed write of a stream; null if no write is queued, or if the chips of the
    stream's actuators are not ready. */
BRIDGE_INLINE struct bridge_write *bus_schedule_stream_write(struct bridge *bridge,
                                                             struct stream *stream) {
    struct bridge_write_queue *writes = &stream->writes;
    uint8_t tail = writes->tail;
#if BRIDGE_ACTUATOR_COUNT > 1
    if (bus_schedule_writes_wait(bridge) && !writes->remaining) {
        return 0;
    }
#endif
    return writes->head != tail && bus_schedule_are_ready(bridge, (uint8_t)stream->actuators)
               ? write_queue_at(writes, tail)
               : 0;
}

/** Returns the timed write that is due first among all streams whose chips are ready; null if there
    is none. */
struct bridge_write *bus_schedule_first_write(struct bridge *bridge);

/** Does the work of bus_schedule_first_write for an interrupt. In a build with one stream, this
    function does not call any function. */
BRIDGE_INLINE struct bridge_write *bus_schedule_next_write(struct bridge *bridge) {
    return BRIDGE_STREAM_COUNT > 1 ? bus_schedule_first_write(bridge)
                                   : bus_schedule_stream_write(bridge, &bridge->streams[0]);
}

/** Returns the write that has reached some but not all of its actuators; null if there is none. */
BRIDGE_INLINE struct bridge_write *bus_schedule_partial_write(struct bridge *bridge) {
#if BRIDGE_ACTUATOR_COUNT > 1
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        struct bridge_write_queue *writes = &bridge->streams[index].writes;
        if (writes->remaining) {
            return write_queue_at(writes, writes->tail);
        }
    }
#else
    (void)bridge;
#endif
    return 0;
}

/** Fills `bridge->transfer` with the next part of a write. Returns true for the first part of its
    level, because only the lateness of that part counts. */
#if BRIDGE_ACTUATOR_COUNT > 1
bool bus_schedule_take_write(struct bridge *bridge, struct bridge_write *write);
#else
BRIDGE_INLINE bool bus_schedule_take_write(struct bridge *bridge, struct bridge_write *write) {
    struct bridge_write_queue *writes = &bridge->streams[0].writes;
    bridge->bus_owner = BRIDGE_BUS_DUE;
    uint8_t kind = write->kind;
    bool has_tone = BRIDGE_HAS_BAND && (kind & BRIDGE_WRITE_NEEDS_TONE);
    uint8_t reg = DRIVER_LEVEL_REGISTER;
    uint8_t value = write->values[0];
    if (has_tone) {
        write->kind = write_reason(kind);
        reg = DRIVER_TONE_REGISTER;
        value = write->tone;
    } else {
        writes->tail = (uint8_t)(writes->tail + BRIDGE_WRITE_SIZE);
        bridge->actuators[0].shown = write->level;
    }
    driver_put(&bridge->transfer, reg, value);
    return !has_tone;
}
#endif

/** The maximum duration of a switch of the multiplexer, in microseconds. It consists of the
    transfers of SPEC 6.6 and the time that a port takes between two transfers. */
#define BRIDGE_SWITCH_US 70
#define BRIDGE_SWITCH_SLOW_US 250

/** The maximum duration of a switch after which the control register is read back, as before an
    untimed transfer. */
#define BRIDGE_SWITCH_CHECKED_US 140
#define BRIDGE_SWITCH_CHECKED_SLOW_US 500

/** Returns the maximum time, in microseconds, by which a switch of the multiplexer delays the taken
    transfer; 0 if the bus is already connected to the chips of the transfer. */
BRIDGE_INLINE uint8_t bus_schedule_switch_us(struct bridge *bridge) {
#if BRIDGE_ACTUATOR_COUNT > 1
    if (bridge->bus_led != bridge->transfer.actuators) {
        bridge->bus_led = bridge->transfer.actuators;
        return bridge_bus_is_slow(bridge) ? BRIDGE_SWITCH_SLOW_US : BRIDGE_SWITCH_US;
    }
#else
    (void)bridge;
#endif
    return 0;
}

/** Records the start of the taken transfer. From that time on, the chips are considered to drive
    the new value. If the multiplexer must be switched first, a value that is lower than the
    previous value counts only from the end of the switch. A frequency does not change the value. */
BRIDGE_INLINE void bus_schedule_record_start(struct bridge *bridge, driven_time now_us) {
    struct actuator *actuator = bridge->actuators;
    if (driver_sets_tone(&bridge->transfer)) {
        return;
    }
#if BRIDGE_ACTUATOR_COUNT > 1
    driven_time later_us = (driven_time)(now_us + bus_schedule_switch_us(bridge));
    for (uint8_t left = bridge->transfer.actuators; left; left >>= 1, actuator++) {
        if (left & 1) {
            bool is_lower = bridge->transfer.value < actuator->driven;
            actuator_drive(actuator, bridge->transfer.value, is_lower ? later_us : now_us);
        }
    }
#else
    actuator_drive(actuator, bridge->transfer.value, now_us);
#endif
}

/** Records the lateness of a write that has been taken. */
BRIDGE_INLINE void bus_schedule_record_lateness(struct bridge *bridge, uint16_t late_us) {
    if (late_us > bridge->late_us) {
        bridge->late_us = late_us;
    }
    if (late_us > BRIDGE_LATE_US) {
        bridge->late_writes = (uint8_t)(bridge->late_writes + 1); /* C++20 deprecates ++ */
    }
}

/** Makes an overdue write due now, and records its lateness. */
void bus_schedule_expedite(struct bridge *bridge, uint32_t now_us);

/** Takes the first timed write if that write is due and the bus is free; returns true on
    success. */
bool bus_schedule_take_due(struct bridge *bridge, uint32_t now_us);

/* ---- Untimed transfers ------------------------------------------------------------------- */

/** Takes an untimed transfer if the bus stays free for long enough; returns true on success. */
bool bus_schedule_take_untimed(struct bridge *bridge, uint32_t now_us);

/** Records the value that a chip drives while it is set up. Until the driver has reset the chip,
    the chip may drive any earlier level, so the maximum value counts. */
void bus_schedule_record_set_up(struct actuator *actuator, uint32_t now_us);

/** Records the value that an untimed transfer makes the chip drive. A calibration counts as full
    level, because its actual level is unknown. */
void bus_schedule_record_untimed(struct bridge *bridge, struct actuator *actuator, uint32_t now_us);

/** If there is enough time, takes a switch of the multiplexer from the actuators `selected` to the
    actuators that the next write reaches first; returns true on success. */
#if BRIDGE_ACTUATOR_COUNT > 1
bool bus_schedule_take_switch(struct bridge *bridge, uint8_t selected, uint32_t now_us);
#else
static inline bool bus_schedule_take_switch(struct bridge *bridge, uint8_t selected,
                                            uint32_t now_us) {
    (void)bridge;
    (void)selected;
    (void)now_us;
    return false;
}
#endif

/** If an urgent untimed transfer has found no gap, makes timed writes wait for one untimed
    transfer, and ends the wait afterwards. The core calls this function in every round. */
#if BRIDGE_ACTUATOR_COUNT > 1
void bus_schedule_assign_turn(struct bridge *bridge, uint32_t now_us);
#else
static inline void bus_schedule_assign_turn(struct bridge *bridge, uint32_t now_us) {
    (void)bridge;
    (void)now_us;
}
#endif

/* ---- Results ----------------------------------------------------------------------------- */

/** Resets the failure counts of the actuators that the last write reached. */
static inline void bus_schedule_forget_failures(struct bridge *bridge) {
#if BRIDGE_ACTUATOR_COUNT > 1
    if (!bridge->has_failures) {
        return;
    }
    bridge->has_failures = false;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (bridge->transfer.actuators >> index & 1) {
            bridge->actuators[index].failures = 0;
        }
        bridge->has_failures |= bridge->actuators[index].failures;
    }
#else
    bridge->actuators[0].failures = 0;
#endif
}

#if BRIDGE_SENSOR
/** Addresses the next transfer to the driver's chip, and makes a read one byte long. Both settings
    apply to all transfers except those with the sensor. */
static inline void bus_schedule_address_driver(struct bridge *bridge) {
    bridge->transfer.address_byte = DRIVER_I2C_ADDRESS << 1;
    bridge->transfer.count = 1;
}
#endif

/** Records the end of a transfer: `ok` is true if the chip acknowledged it, and `value` is the byte
    that was read. */
static inline void bus_schedule_done(struct bridge *bridge, bool ok, uint8_t value) {
    uint8_t owner = ok ? bridge->bus_owner : bridge->bus_owner | BRIDGE_BUS_FAILED;
    bridge->bus_owner = BRIDGE_BUS_FREE;
#if BRIDGE_ACTUATOR_COUNT > 1
    if (!ok) {
        bridge->bus_led = 0;
    }
    if (owner & BRIDGE_BUS_SWITCH) {
        bridge->bus_led = ok ? bridge->transfer.actuators : 0;
        return;
    }
#endif
    if (owner == BRIDGE_BUS_DUE) {
        bus_schedule_forget_failures(bridge);
    } else if (owner == (BRIDGE_BUS_DUE | BRIDGE_BUS_FAILED)) {
        bridge->bus_owner = owner; /* the bus stays reserved until the write is queued again */
    } else {
        bridge->bus_value = value;
        bridge->bus_ended = owner;
    }
#if BRIDGE_SENSOR
    bus_schedule_address_driver(bridge);
#endif
}

/** Handles the result of a transfer that has ended. */
void bus_schedule_finish_transfer(struct bridge *bridge, uint32_t now_us);

/** True while a transfer of an actuator's driver is in progress, or the result of that transfer is
    unread. */
bool bus_schedule_has_driver(const struct bridge *bridge, uint8_t actuator);

#endif
