/*
 * A board without hardware: an implementation of the functions of board_hal.h with models of the
 * chips, in virtual time. The fuzzers and the program `model-board` run the port of
 * Firmware/boards/common on this board.
 */
#ifndef MODEL_BOARD_H
#define MODEL_BOARD_H

#include "Firmware/boards/common/port.h"
#include "Firmware/model/drv2605_model.h"
#include "promise.h"

#define BOARD_RECEIVED_COUNT 1024

struct board {
    struct drv2605_model chips[BRIDGE_ACTUATOR_COUNT];
    uint32_t now_us;  /**< the time since power-up; the clock of the core is ahead of this time */
    uint16_t enabled; /**< the state of the EN pins */

    bool has_alarm;
    uint32_t alarm_us; /**< the time of the alarm, on the core's clock */

    bool has_transfer; /**< true while a transfer is on the bus */
    struct bridge_transfer transfer;
    uint32_t transfer_end_us;

    uint32_t byte_us; /**< duration of a byte on the line to the board; may be 0 */
    uint8_t received[BOARD_RECEIVED_COUNT]; /**< bytes that have been received or are on the line */
    uint32_t stamps[BOARD_RECEIVED_COUNT];  /**< ends of their stop bits, on the core's clock */
    uint16_t received_head;
    uint16_t received_tail;
    void (*send)(uint8_t byte); /**< receives the bytes that the board sends */

    struct configuration configurations[BRIDGE_ACTUATOR_COUNT]; /**< the stored configurations */
    struct lock locks[BRIDGE_ACTUATOR_COUNT];
    uint16_t heat[BRIDGE_ACTUATOR_COUNT];
};

/** The board. There is only one board, because the functions of board_hal.h have no context. */
extern struct board board;

/** Powers up the board with configured actuators. */
void board_begin(void (*send)(uint8_t byte));

/** Advances the time. The main loop runs at least every `step_us`. */
void board_run(uint32_t time_us, uint32_t step_us);

/** Sends a byte to the board. The byte begins immediately, or after the end of the previous bytes.
 */
void board_arrive(uint8_t byte);

/** Returns the number of bytes that the line accepts. */
uint16_t board_room(void);

#endif
