/* The functions of the board that board_hal.h does not declare. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/board_hal.h"

/** Prevents the compiler from moving an access to memory past this point, so that data for an
    interrupt or the loop is complete before its count is updated. */
static inline void board_order_memory(void) { __asm__ volatile("" ::: "memory"); }

/** Starts the clock, and an interrupt every 250 us. */
void timer_start(void);

/** Returns whether the interrupt that occurs every 250 us has occurred since the last call. */
bool timer_consume_beat(void);

/** Frees the bus, and starts the I2C unit. */
void i2c_start(void);

#endif
