/*
 * The hardware abstraction of a board: the functions that a board supplies to port.c.
 *
 * The main loop calls these functions, unless a comment states otherwise. The board's interrupts
 * call port_on_timer and port_on_bus_end (port.h).
 */
#ifndef BOARD_HAL_H
#define BOARD_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "../../core/bridge.h"

/* ---- Start ------------------------------------------------------------------------------- */

/** Starts the clock, the line at BRIDGE_BAUD, the bus, and the watchdog. The EN pins are low and
    must remain low. Interrupts may occur after this call. */
void board_start(void);

/** Fills in the properties of the board that WELCOME reports: its kind, id, firmware version, reset
    cause, boot count, features, and the numbers of actuators and streams. The function sets the
   numbers of actuators and streams only `#if !BRIDGE_HAS_ALL`; otherwise, the build fixes the
   numbers, and the fields do not exist. */
void board_describe(struct bridge_board *board);

/* ---- Time -------------------------------------------------------------------------------- */

/** Returns the current time in microseconds modulo 2^32, starting at BRIDGE_CLOCK_AT_BOOT. It never
    decreases. Interrupts also call this function. */
uint32_t board_now_us(void);

/** Sets the time at which the timer's interrupt calls port_on_timer. If that time has passed, the
    interrupt must occur immediately. Replaces the previous alarm. Interrupts also call this
    function. */
void board_set_alarm(uint32_t time_us);

/** Waits for an interrupt, but for at most a millisecond. The loop calls this function when it has
   no work. A board without a sleep mode returns immediately. */
void board_wait(void);

/* ---- The line ---------------------------------------------------------------------------- */

/** Finds the oldest received bytes that have the same stamp, which is the time at which their last
    stop bit ended: one byte from a UART, or a packet from USB. Returns the number of these bytes,
    or 0 if there are no received bytes. The receive interrupt stores bytes and stamps, in a buffer
    for BRIDGE_LINK_WINDOW + 33 bytes. */
uint8_t board_peek(const uint8_t **bytes, uint32_t *stamp_us);

/** Discards the first `count` bytes that board_peek has returned. */
void board_drop(uint8_t count);

/** Returns the number of bytes that were lost because the buffer was full or the UART was overrun,
    modulo 65,536. Each frame must have its own stamp, even after bytes have been lost (SPEC 4.4).
 */
uint16_t board_lost_bytes(void);

/** True if a byte can be sent without waiting. */
bool board_can_send(void);

/** Sends a byte. */
void board_send(uint8_t byte);

/* ---- The chips --------------------------------------------------------------------------- */

/** Sets the EN pins. Bit n represents actuator n, and bits without an actuator are 0; the board
    maps the bits to pins. The loop calls this function in every round. */
void board_set_enable(uint16_t pins);

/** Switches the light that mirrors the level, about every millisecond. Has no effect on a board
    without such a light. */
void board_set_light(bool on);

/** Starts a register transfer with the chip at DRIVER_I2C_ADDRESS. A write sends address, register
    and byte; a read sends address, register, repeated start and address, and receives a byte. With
   several actuators, the function first switches the multiplexer, so that the bus is connected to
   the chips of the actuators in `transfer->actuators`. A transfer with the sensor
   (bridge_bus_is_sensor) uses the address in `transfer->address_byte`, needs no multiplexer, and
   reads up to 14 bytes. The function stores these bytes as core/bus/transfer.h describes. The
   interrupt of the bus calls port_on_bus_end when the transfer has ended; until then `*transfer`
   does not change. Interrupts also call this function. */
void board_start_transfer(const struct bridge_transfer *transfer);

/** Reports the actuators to which the multiplexer connects the bus; 0 if they are unknown. Returns
    false if the board has no multiplexer. If the core requests a switch in advance of a timed write
   (bridge_bus_is_switching), the board switches its multiplexer, and then ends the transfer without
   an access to a chip. */
bool board_find_selected(uint8_t *actuators);

/** Sets the clock of the bus: 100 kHz if `is_slow`, otherwise 400 kHz. The loop calls this function
    in every round in which no transfer is in progress, before it takes a transfer. The clock
    changes only while no timed write can start. */
void board_set_bus_clock(bool is_slow);

/** Stops the transfer in progress, and frees the bus with nine clocks and a STOP (NXP UM10204
    3.1.16). port_on_bus_end is not called for the stopped transfer. Interrupts stay enabled during
    this time. */
void board_free_bus(void);

/** Returns whether a chip acknowledges a 7-bit address in a write without data. The loop calls this
    function only while the bus is free and no timed write is about to become due. */
bool board_probe(uint8_t address);

/** Returns whether SDA and SCL are swapped at the chips (bus_probe.h); false if the board
   cannot test this. The loop calls this function once after board_start, before any EN pin is
   high. */
bool board_has_swapped_wires(void);

/* ---- Memory ------------------------------------------------------------------------------ */

/** The records that a board stores for each actuator. */
enum board_record { BOARD_CONFIGURATION, BOARD_LOCK };

/** Reads a record from non-volatile memory. Returns false if no record is stored, or if a
    configuration is damaged. A lock is stored twice. If both copies are damaged, the function sets
    only the kind, LOCK_DAMAGED. Memory that has never contained a lock is not considered
    damaged. */
bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size);

/** Stores a record in such a way that either the old or the new record is intact after a loss of
    power. Returns false if the record cannot be stored. If storing takes longer than a millisecond,
   the board stores the record in steps, in a function that the board's own loop calls. */
bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size);

/** Returns whether the jumper that erases locks is set (SPEC 8, Lock). */
bool board_erases_locks(void);

/** Returns the heat of an actuator as stored before the reset; 0 after a loss of power. */
uint16_t board_kept_heat(uint8_t actuator);

/** Stores the heat of an actuator in memory that only a loss of power clears. */
void board_keep_heat(uint8_t actuator, uint16_t heat);

/* ---- Safety ------------------------------------------------------------------------------ */

/** Restarts the timeout of the watchdog. If the timeout elapses after 250 ms, the watchdog drives
    all EN pins low and resets the controller. The loop calls this function in each round. The board
   may restart the timeout only while the interrupts that start and end transfers still occur; the
   loop does not check these interrupts. */
void board_feed_watchdog(void);

/** Starts the bootloader. Once all actuators are at rest, the loop calls this function in every
    round. For the first milliseconds, a board may return without starting the boot loader, so that
    the last answers are sent. */
void board_enter_bootloader(void);

#endif
