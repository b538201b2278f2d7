/* A board for the fuzzers: the whole core with the model of the chip on its bus, in its own time.
 */
#ifndef FUZZ_BOARD_H
#define FUZZ_BOARD_H

#include "Firmware/core/bridge.h"
#include "Firmware/model/drv2605_model.h"
#include "fuzz.h"

struct board {
    struct bridge core;
    struct drv2605_model chips[BRIDGE_ACTUATOR_COUNT];
    uint32_t now_us;      /**< since power-up; the clock of the core is ahead of it */
    uint16_t enabled;     /**< EN pins as they are */
    uint8_t frame_length; /**< bytes sent since the last delimiter */
};

/** Powers a board up, with its actuators configured. */
void board_begin(struct board *board);

/** What the core's clock shows. */
uint32_t board_clock(const struct board *board);

/** Lets time go by; the core is polled every `step_us` at least. */
void board_run(struct board *board, uint32_t time_us, uint32_t step_us);

/** A byte arrives. */
void board_receive(struct board *board, uint8_t byte);

/** What no input may break, at any time. */
void board_check(const struct board *board);

#endif
