/* The parts of the board that board_hal.h does not name: their start, and their turn in a round. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/board_hal.h"

/** Keeps the compiler from moving an access to memory past this place: what an interrupt and the
    loop hand over is complete before its count says so. */
static inline void board_order_memory(void) { __asm__ volatile("" ::: "memory"); }

/** Starts the clock, and an interrupt every 250 us. */
void timer_start(void);

/** True if that interrupt has come since the last call. */
bool timer_consume_beat(void);

/** Frees the bus and starts it. */
void i2c_start(void);

#endif
