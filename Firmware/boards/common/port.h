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

/** Stores the present heat of the actuators. A board that restarts without a reset calls this
    before port_start. */
void port_keep_heat(void);

/** The bounds of a round on a board whose timer interrupt starts the timed writes. A board that
    polls for them needs shorter rounds. */
#define PORT_ROUND_BYTES 32
#define PORT_ROUND_POLLS 9

/** Executes one round of the main loop, with at most `bytes` received bytes and `polls` calls of
    bridge_poll. Returns true if there is more to do at this time. */
bool port_round(uint8_t bytes, uint8_t polls);

/** Starts the timed writes that are due. Called by the timer's interrupt at the time of the alarm.
 */
void port_on_timer(void);

/** Reports the end of a transfer: acknowledged or not, and the byte that it read. Called by the
   bus's interrupt, which must not interrupt that of the timer, nor be interrupted by it. */
void port_on_bus_end(bool ok, uint8_t value);

#endif
