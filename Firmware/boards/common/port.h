/* The port that boards share: the main loop, and the interrupts of timer and bus. */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../core/bridge.h"

/** The context of the device. */
extern struct bridge port_bridge;

/** Starts the board and the core. */
void port_start(void);

/** Stores the current heat of the actuators. A board that restarts without a reset calls this
    function before port_start. */
void port_keep_heat(void);

/** The limits of the work in one round, for a board whose timer interrupt starts the timed writes.
    A board that polls for timed writes needs shorter rounds. */
#define PORT_ROUND_BYTES 32
#define PORT_ROUND_POLLS 9

/** Executes one round of the main loop, which processes at most `bytes` received bytes and calls
    bridge_poll at most `polls` times. Returns true if more work is pending now. */
bool port_round(uint8_t bytes, uint8_t polls);

/** Starts the timed writes that are due. The timer's interrupt calls this function at the time of
    the alarm. */
void port_on_timer(void);

/** Reports the end of a transfer: `ok` is true if the chip acknowledged it, and `value` is the byte
    that was read. The interrupt of the bus calls this function. The interrupts of the bus and of
    the timer must not interrupt each other. */
void port_on_bus_end(bool ok, uint8_t value);

#endif
