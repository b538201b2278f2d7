/*
 * The Haptic Bridge firmware core: protocol, player and driver of a device, without I/O.
 *
 * This is the only header of the core that a port includes. A port passes received bytes, the time
 * and the results of bus transfers to the core, and takes transfers, bytes to send and the state of
 * the EN pins from the core. The core does not read a clock, allocate memory or have global
 * variables; a program may have several contexts.
 *
 *     struct bridge bridge = {0};
 *     bridge_init(&bridge);                      // at reset; all EN pins are low
 *     bridge.board.firmware = ...;               // and the other facts in struct bridge_board
 *     bridge_load_lock(&bridge, 0, &lock);       // from non-volatile memory, if one is stored
 *     bridge_load(&bridge, 0, &configuration);   // after the lock, if one is stored
 *     bridge_load_heat(&bridge, 0, heat);        // from memory that only a loss of power clears
 *     for (;;) {
 *         while (a byte was received)
 *             bridge_receive(&bridge, byte, its_stamp_us);
 *         bridge_poll(&bridge, now_us);          // one bounded step of work
 *         set_enable_pins(bridge_enabled(&bridge));
 *         set_light(bridge_light(&bridge, &light, now_us));
 *         if (the bus is free &&
 *             (bridge_take_due(&bridge, now_us) || bridge_take_untimed(&bridge, now_us)))
 *             start(bridge.transfer);            // whose end is reported by bridge_bus_done
 *         while (the line is free && bridge_take_byte(&bridge, &byte))
 *             send(byte);
 *         keep(bridge_heat(&bridge, 0));         // every few milliseconds
 *     }
 *
 * `boards/common/port.c` implements this loop for boards with interrupts.
 *
 * TIME. Times are microseconds modulo 2^32. Times begin at BRIDGE_CLOCK_AT_BOOT and never decrease.
 * The stamp of a byte is the time at which the byte's stop bit ended, as exactly as the port can
 * measure that time. A port reads its clock after it has taken the bytes of a round, so that no
 * stamp is later than `now_us`. If a port must read its clock before it takes the bytes, its stamps
 * may be later than `now_us` by at most BRIDGE_STAMP_AHEAD_US.
 *
 * POLLING. A port calls bridge_poll until it returns false, or as often as a round allows, and at
 * least every millisecond. A longer interval delays answers, the dead-man stop, STOP, and each
 * transfer of the driver, because each round starts only one of these transfers. Levels are
 * rendered BRIDGE_HORIZON_US ahead: if a round takes longer than 10 ms, levels are late, and STATUS
 * reports their lateness. The thermal budget is counted correctly for a round of any length, but is
 * enforced only once per round. A round must take at most 50 ms.
 *
 * TIMED WRITES. A port without a timer interrupt calls bridge_take_due in its loop, as above. A
 * port with a timer interrupt starts due writes in that interrupt: bridge_next_write returns the
 * next write, and write_start_us returns the time of that write. At that time, bridge_take_write
 * takes the write, or only its frequency, in a separate transfer; the write is then due again.
 * bridge_record_start records the start of the transfer, from which the thermal budget is counted.
 * bridge_record_lateness records the lateness of the write. If the timer cannot represent times
 * in the distant past, the port calls bridge_expedite, which makes an overdue write due now. With
 * several actuators behind a multiplexer, bridge_partial_write returns the write that must be
 * continued when a transfer has ended, and bridge_take_switch switches the multiplexer in advance:
 *
 *     timer:  write = bridge_next_write(&bridge);
 *             if (write is due && the bus is free)
 *                 bridge_take_write(&bridge, write), start(bridge.transfer),
 *                 bridge_record_start(&bridge, now_us);
 *     bus:    bridge_bus_done(&bridge, ok, value);
 *             if (ok && (write = bridge_partial_write(&bridge)))
 *                 bridge_take_write(&bridge, write), start(bridge.transfer),
 *                 bridge_record_start(&bridge, now_us);
 *     loop:   if (bridge_take_untimed(&bridge, now_us) ||
 *                 bridge_take_switch(&bridge, channels, now_us))
 *                 start(bridge.transfer);
 *
 * THE BUS runs at 400 kHz, or at 100 kHz while bridge_bus_is_slow returns true. A port calls this
 * function before it takes a transfer. The bus carries one transfer at a time, to the chip at
 * DRIVER_I2C_ADDRESS, or to the sensor (bridge_bus_is_sensor) in a build with BRIDGE_SENSOR.
 * `bridge.transfer` is valid until bridge_bus_done. If a transfer has not ended after 2 ms, the
 * port aborts the transfer: with interrupts enabled, the port frees the bus with nine clocks and a
 * STOP, and reports a failure.
 *
 * INTERRUPTS. An interrupt may call bridge_next_write, bridge_partial_write, bridge_take_write,
 * bridge_record_start, bridge_record_lateness, bridge_bus_is_free, bridge_bus_is_switching,
 * bridge_bus_is_untimed, bridge_bus_done and bridge_take_byte, but only one of these functions at a
 * time. Because bridge_take_due and bridge_expedite do the work of these functions, the loop
 * disables that interrupt while it calls bridge_take_due or bridge_expedite. All other functions
 * belong to the loop. The core changes the fields that an interrupt reads between
 * BRIDGE_CRITICAL_ENTER and BRIDGE_CRITICAL_EXIT (support/critical.h), which a port with interrupts
 * defines. On a controller with two cores, either the core that runs the loop also handles the
 * interrupts of timer and bus, or both macros must use a lock.
 *
 * RECEIVING. The port's receive buffer has room for BRIDGE_LINK_WINDOW + 33 bytes (SPEC 4.4). If
 * the buffer is full, the port discards a received byte together with its stamp, and counts the
 * byte in `counters.lost_bytes`. A connection with flow control, such as USB, does not lose bytes
 * even with a smaller buffer.
 *
 * STORING. bridge_take_save and bridge_take_lock return an actuator whose configuration or lock
 * must be stored within 300 ms, while all other work continues. A port whose processor stops while
 * it writes its flash memory defines BRIDGE_STORES_AT_REST.
 *
 * SAFETY. A watchdog drives all EN pins low, and then resets the controller, if the loop or the
 * clock has stopped, or if a transfer has neither ended nor been aborted after 2 ms. EN pins are
 * low in reset, with pull-down resistors if necessary.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "actuator/light.h"
#include "bus/bus_schedule.h"
#include "device.h"
#include "support/compiler.h"
#include "support/critical.h"
#include "support/version.h"

/* ---- Before the first poll --------------------------------------------------------------- */

/** Initializes a context of zeros to the state after reset: no session, EN pins low, no chip
    accessed yet. Sets `board.features` to the features of the core. */
void bridge_init(struct bridge *bridge);

/** Loads the stored lock of an actuator, before the actuator's configuration is loaded. `lock` may
    be the result of bridge_lock. The core requests that the port store the lock again, which
    restores a lost copy. The kind LOCK_DAMAGED represents a lock that cannot be read. Such a lock
   is not stored; the actuator rejects every configuration, and the core reports a storage fault to
   the host (SPEC 8.6). */
void bridge_load_lock(struct bridge *bridge, uint8_t actuator, const struct lock *lock);

/** Loads the stored configuration of an actuator. `configuration` may be the result of
    bridge_configuration. If the configuration fails the checks of SPEC 8, returns false; the
    actuator then remains unconfigured. */
bool bridge_load(struct bridge *bridge, uint8_t actuator,
                 const struct configuration *configuration);

/** Loads the heat that an actuator had before a reset. */
void bridge_load_heat(struct bridge *bridge, uint8_t actuator, uint16_t heat);

/* ---- Each round -------------------------------------------------------------------------- */

/** Processes one received byte; `stamp_us` is the time at which its stop bit ended. */
void bridge_receive(struct bridge *bridge, uint8_t byte, uint32_t stamp_us);

/** Processes received bytes up to the first delimiter, which must be passed to bridge_receive.
    Returns the number of processed bytes, which is 0 while the receiver contains a configuration
    that the next poll will apply. For a port that stamps only delimiters, this function is faster
    than bridge_receive. */
static inline uint8_t bridge_receive_run(struct bridge *bridge, const uint8_t *bytes,
                                         uint8_t count) {
    return bridge->configuration_pending ? 0 : frame_receive_run(&bridge->receiver, bytes, count);
}

/** Does one bounded step of work. Returns true if more work is pending now. */
bool bridge_poll(struct bridge *bridge, uint32_t now_us);

/** Returns the required state of the EN pins: bit n represents actuator n. */
uint16_t bridge_enabled(const struct bridge *bridge);

/** Returns whether the LED that mirrors the level must be on until the next call. The port owns
    `light`, which is initially all zeros. A board without an LED does not call this function. */
static inline bool bridge_light(const struct bridge *bridge, struct bridge_light *light,
                                uint32_t now_us) {
    return light_update(light, light_greatest_level(bridge->actuators, bridge_actuators(bridge)),
                        now_us);
}

/** True if a frame is ready to be sent. */
bool bridge_has_byte(const struct bridge *bridge);

/** Takes the next byte to send. Returns false if no frame is ready. */
static inline bool bridge_take_byte(struct bridge *bridge, uint8_t *byte) {
    return frame_sender_take(&bridge->sender, byte);
}

/* ---- The bus ----------------------------------------------------------------------------- */

/** If the first timed write is due and the bus is free, takes the write into `bridge->transfer`,
    records its lateness and returns true. This function is for ports without a timer interrupt. */
static inline bool bridge_take_due(struct bridge *bridge, uint32_t now_us) {
    return bus_schedule_take_due(bridge, now_us);
}

/** If the bus is free and no timed write is due soon, takes an untimed transfer into
    `bridge->transfer` and returns true. */
static inline bool bridge_take_untimed(struct bridge *bridge, uint32_t now_us) {
    return bus_schedule_take_untimed(bridge, now_us);
}

/** True if the bus is free for a write: no transfer is in progress, and no failed transfer is
    waiting for bridge_poll. */
static inline bool bridge_bus_is_free(const struct bridge *bridge) {
    return bridge->bus_owner == BRIDGE_BUS_FREE;
}

/** Reports the end of the transfer to the core: `ok` is true if the chip acknowledged it, and
    `value` is the byte that was read. */
static inline void bridge_bus_done(struct bridge *bridge, bool ok, uint8_t value) {
    bus_schedule_done(bridge, ok, value);
}

/* ---- Timed writes by interrupt ----------------------------------------------------------- */

/** Returns the timed write that is due first among the writes whose chips are ready, or null if
    there is none. */
static inline struct bridge_write *bridge_next_write(struct bridge *bridge) {
    return bus_schedule_first_write(bridge);
}

/** Returns the same write as bridge_next_write, for an interrupt that must not call a function: in
    a build with one stream, this code is inline. */
BRIDGE_INLINE struct bridge_write *bridge_next_write_inline(struct bridge *bridge) {
    return bus_schedule_next_write(bridge);
}

/** Takes a write into `bridge->transfer` while the bus is free. After this call, the actuators of
    the write show its level. With several actuators, each call takes one part of the write, for the
    actuators that receive the same value; bridge_next_write returns the same write until all parts
    have been taken. Returns true for the first part, because only the lateness of the first part
    counts. */
BRIDGE_INLINE bool bridge_take_write(struct bridge *bridge, struct bridge_write *write) {
    return bus_schedule_take_write(bridge, write);
}

/** Records the start time of the transfer that has been taken. The port calls this function for
    each part of a write. The heat of the actuator is counted from this time. */
BRIDGE_INLINE void bridge_record_start(struct bridge *bridge, driven_time now_us) {
    bus_schedule_record_start(bridge, now_us);
}

/** Records the lateness of a write that has been taken. */
BRIDGE_INLINE void bridge_record_lateness(struct bridge *bridge, uint16_t late_us) {
    bus_schedule_record_lateness(bridge, late_us);
}

/** Makes an overdue write due now, and records its lateness. */
static inline void bridge_expedite(struct bridge *bridge, uint32_t now_us) {
    bus_schedule_expedite(bridge, now_us);
}

/** Returns the write that has reached some but not all of its actuators; null if there is none. */
BRIDGE_INLINE struct bridge_write *bridge_partial_write(struct bridge *bridge) {
    return bus_schedule_partial_write(bridge);
}

/** Takes a multiplexer switch from the actuators `selected` to the actuators of the next write, and
   stores the actuators of the next write in `bridge->transfer.actuators`. Returns false if no
   switch is needed, the bus is busy, or there is no time before the write is due. The port reports
   the end of the switch with bridge_bus_done. */
static inline bool bridge_take_switch(struct bridge *bridge, uint8_t selected, uint32_t now_us) {
    return bus_schedule_take_switch(bridge, selected, now_us);
}

/** True if the transfer on the bus only switches the multiplexer, without an access to a chip. */
static inline bool bridge_bus_is_switching(const struct bridge *bridge) {
    return bridge->bus_owner == BRIDGE_BUS_SWITCH;
}

/** True if the transfer on the bus is untimed. With several actuators, the port must then read back
    the multiplexer's control register before it accesses a chip, unless it has done so since the
    register was written, and report a failure if the register differs. Timed writes omit that
    check: the periodic check of a chip detects a level that reached the wrong chip. */
static inline bool bridge_bus_is_untimed(const struct bridge *bridge) {
    return bridge->bus_owner == BRIDGE_BUS_DRIVER || bridge->bus_owner == BRIDGE_BUS_SHOWN;
}

#if BRIDGE_SENSOR
/** True if the transfer on the bus is with the sensor. The sensor is not behind the multiplexer;
    its address and the number of bytes are in `bridge->transfer`. */
static inline bool bridge_bus_is_sensor(const struct bridge *bridge) {
    return bridge->bus_owner == BRIDGE_BUS_SENSOR;
}
#endif

/** True while timed writes wait for an untimed transfer. The port should then end the round early
    and call bridge_take_untimed. */
static inline bool bridge_writes_wait(const struct bridge *bridge) {
    return bus_schedule_writes_wait(bridge);
}

/** True after bridge_poll has handled the results of the bus while an actuator must be brought to
    rest. The port should then end the round early and call bridge_take_untimed. */
bool bridge_rest_is_urgent(const struct bridge *bridge);

/** Takes the 7-bit address that the port must probe now; 0 if no probe is due. A probe is a write
   without data. Until the port has called bridge_probe_done, no write is due, and the port must not
   start a transfer. */
uint8_t bridge_take_probe(struct bridge *bridge);

/** Reports whether a chip has acknowledged the address of a probe. */
void bridge_probe_done(struct bridge *bridge, uint8_t address, bool acknowledged);

/* ---- Stored records ---------------------------------------------------------------------- */

/** Takes the number of an actuator whose configuration the port must store now (SAVE). Returns
    false if no request is pending. Each request is returned once. */
bool bridge_take_save(struct bridge *bridge, uint8_t *actuator);

/** Takes the number of an actuator whose lock the port must store now (LOCK). Returns false if no
    request is pending. Each request is returned once. */
bool bridge_take_lock(struct bridge *bridge, uint8_t *actuator);

/** Returns the configuration of an actuator, which SAVE stores. */
static inline struct configuration *bridge_configuration(struct bridge *bridge, uint8_t actuator) {
    return &bridge_actuator(bridge, actuator)->configuration;
}

/** Returns the lock of an actuator, which LOCK stores. */
static inline struct lock *bridge_lock(struct bridge *bridge, uint8_t actuator) {
    return &bridge_actuator(bridge, actuator)->lock;
}

/** Reports to the host that a configuration or a lock could not be stored. */
void bridge_storage_failed(struct bridge *bridge);

/** Reports to the host that SDA and SCL are swapped at the chips. */
void bridge_wires_are_swapped(struct bridge *bridge);

/** Returns the heat of an actuator, in the unit of its budget (SPEC 8). The port stores the heat in
    memory that only a loss of power clears. */
static inline uint16_t bridge_heat(const struct bridge *bridge, uint8_t actuator) {
    return (uint16_t)(bridge->actuators[actuator].heat >> 16);
}

/** Requests the boot loader for a host that has requested it from the port directly, without a
    message (for example, with a baud rate of 1,200). All actuators come to rest. */
static inline void bridge_request_bootloader(struct bridge *bridge) {
    bridge->wants_bootloader = true;
}

/** True once the boot loader has been requested and all actuators are at rest. */
bool bridge_wants_bootloader(const struct bridge *bridge);

#ifdef __cplusplus
}
#endif

#endif
