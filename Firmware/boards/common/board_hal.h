/*
 * The hardware of a board, as port.c needs it: the functions that a new board fills in.
 *
 * They are called from the main loop, unless their comment says otherwise. In return the board's
 * interrupts call the two functions of port.h.
 */
#ifndef BOARD_HAL_H
#define BOARD_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "../../core/bridge.h"

/* ---- Start ------------------------------------------------------------------------------- */

/** Starts the clock, the line at BRIDGE_BAUD, the bus, and the watchdog. The EN pins are
    low and stay so. Interrupts may come from now on. */
void board_start(void);

/** Fills in what the host is told about the board: its kind, id, firmware version, reset cause,
   boot count, features, and how many actuators and streams it has. The last two are set only `#if
   !BRIDGE_HAS_ALL`: otherwise the build has fixed them, and the fields do not exist. */
void board_describe(struct bridge_board *board);

/* ---- Time -------------------------------------------------------------------------------- */

/** Now, in microseconds modulo 2^32, beginning at BRIDGE_CLOCK_AT_BOOT. Never goes back. Also
   called by interrupts. */
uint32_t board_now_us(void);

/** Has the timer's interrupt call port_on_timer at a time, or at once if it has passed. Replaces
   the alarm that was set before. Also called by interrupts. */
void board_set_alarm(uint32_t time_us);

/** Waits for an interrupt, at most a millisecond: there is nothing to do. A board without sleep
   returns at once. */
void board_wait(void);

/* ---- The line ---------------------------------------------------------------------------- */

/** Finds the oldest received bytes that have the same stamp, the time at which their last stop bit
    ended: one byte behind a UART, a packet behind USB. Returns their number, 0 if there are none.
    The receive interrupt stores both, in a buffer for BRIDGE_LINK_WINDOW + 33 bytes. */
uint8_t board_peek(const uint8_t **bytes, uint32_t *stamp_us);

/** Drops some of the bytes that board_peek has found. */
void board_drop(uint8_t count);

/** The number of bytes that have found the buffer full or were overrun in the UART, modulo 65,536.
    No frame may get the time of another, even after bytes were lost (SPEC 4.4). */
uint16_t board_lost_bytes(void);

/** True if a byte can be sent without waiting. */
bool board_can_send(void);

/** Sends a byte. */
void board_send(uint8_t byte);

/* ---- The chips --------------------------------------------------------------------------- */

/** Sets the EN pins: bit n is actuator n, and bits beyond the actuators are 0. The board maps bits
    to pins here. Called in every round. */
void board_set_enable(uint16_t pins);

/** Switches the light that mirrors the level, about every millisecond. Does nothing on a board
   without one. */
void board_set_light(bool on);

/** Starts a register transfer with the chip at DRIVER_I2C_ADDRESS: address, register and byte, or
    address, register, repeated start, address and a byte that is read. With several actuators it
    first leads the bus to those in `transfer->actuators`, by a multiplexer. The interrupt of the
   bus calls port_on_bus_end when the transfer has ended; up to then `*transfer` does not change.
   Also called by interrupts. */
void board_start_transfer(const struct bridge_transfer *transfer);

/** Tells to which actuators the multiplexer leads; 0: not known. Returns false if the board has
   none. With one it switches ahead of a timed write if the core asks for it
   (bridge_bus_is_switching): it then ends the transfer without access to a chip. */
bool board_find_selected(uint8_t *actuators);

/** Sets the clock of the bus: 400 kHz, or 100 kHz if it is slow. Called before a transfer is taken,
   in every round in which none runs. The value changes only while no timed write can start. */
void board_set_bus_clock(bool is_slow);

/** Stops a transfer that has not ended, so that port_on_bus_end is not called for it, and frees the
    bus: nine clocks, and a STOP (NXP UM10204 3.1.16). Interrupts stay on meanwhile. */
void board_free_bus(void);

/* ---- Memory ------------------------------------------------------------------------------ */

/** The records that a board stores for each actuator. */
enum board_record { BOARD_CONFIGURATION, BOARD_LOCK };

/** Reads a record from non-volatile memory. Returns false if none is stored, or a configuration
   that is damaged. A lock is stored twice; of one that both copies have lost only the kind is
   given, LOCK_DAMAGED. Memory of another origin is no lock. */
bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size);

/** Stores a record, so that a loss of power leaves the old one or the new one whole. Returns false
   if that is not possible. A board on which this takes longer than a millisecond does it in steps,
   in its own function of the loop. */
bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size);

/** True if the jumper is set that undoes locks (SPEC 8, Lock). */
bool board_erases_locks(void);

/** The heat of an actuator that was kept before the reset; 0 after a loss of power. */
uint16_t board_kept_heat(uint8_t actuator);

/** Keeps the heat of an actuator in memory that only a loss of power clears. */
void board_keep_heat(uint8_t actuator, uint16_t heat);

/* ---- Safety ------------------------------------------------------------------------------ */

/** Feeds the watchdog, which otherwise, after 250 ms, drives all EN pins low and resets the
    controller. The loop calls it, and does not know whether the interrupts that start and end
    transfers still come: the board feeds it only if they do. */
void board_feed_watchdog(void);

/** Starts the bootloader: everything is at rest. Called in every round from then on, so that a
   board may return for some milliseconds, in which the last answers leave. */
void board_enter_bootloader(void);

#endif
