/* The port of the fuzzers' board: what a main.c does, without hardware. */
#include "board.h"

#include <string.h>

#define POLLS_MAX 20000
#define TRANSFERS_MAX 2000
#define TRANSFER_US 98
#define ADDRESS (MODEL_I2C_ADDRESS << 1)

/* A coin LRA of 170 Hz, as the host computes it (vectors/messages.txt). */
static const struct configuration coin = {
    {0x01, 0x02, 0xa4, 0x06, 0xc4, 0x09, 0xd4, 0x0d, 0xe9, 0x5b, 0xfa, 0x16,
     0x23, 0x1d, 0xee, 0x02, 0x14, 0x78, 0xfa, 0xf0, 0x01, 0x00, 0x69, 0xa6,
     0x0c, 0x6c, 0xa6, 0x98, 0x75, 0x88, 0x30, 0x80, 0x3c, 0xcc, 0x20, 0x03,
     0x63, 0x6f, 0x69, 0x6e, 0x20, 0x31, 0x30, 0x6d, 0x6d, 0x00, 0x00, 0x00}};

void board_begin(struct board *board) {
    memset(board, 0, sizeof *board);
    bridge_init(&board->core);
    board->core.board.boot_count = 1;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        drv2605_model_init(&board->chips[index], 7, 0);
        PROMISE(bridge_load(&board->core, index, &coin));
    }
}

uint32_t board_clock(const struct board *board) { return BRIDGE_CLOCK_AT_BOOT + board->now_us; }

static void take_bytes(struct board *board) {
    uint8_t byte;
    while (bridge_take_byte(&board->core, &byte)) {
        board->frame_length++;
        PROMISE(board->frame_length <= BRIDGE_FRAME_MAX);
        if (byte == BRIDGE_DELIMITER) {
            board->frame_length = 0;
        }
    }
}

static void set_enable(struct board *board) {
    uint16_t enabled = bridge_enabled(&board->core);
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if ((board->enabled ^ enabled) >> index & 1) {
            drv2605_model_enable(&board->chips[index], board->now_us, enabled >> index & 1);
        }
    }
    board->enabled = enabled;
}

static void transfer(struct board *board) {
    struct bridge_transfer next = board->core.transfer;
    PROMISE(next.actuator < BRIDGE_ACTUATOR_COUNT);
    struct drv2605_model *chip = &board->chips[next.actuator];
    uint64_t now = board->now_us += TRANSFER_US;
    uint8_t value = 0;
    bool ok =
        drv2605_model_start(chip, now, ADDRESS) && drv2605_model_write_byte(chip, now, next.reg);
    if (ok && next.is_read) {
        ok = drv2605_model_start(chip, now, ADDRESS | 1);
        value = ok ? drv2605_model_read_byte(chip, now) : 0;
    } else if (ok) {
        ok = drv2605_model_write_byte(chip, now, next.value);
    }
    drv2605_model_stop(chip, now);
    bridge_bus_done(&board->core, ok, value);
}

static void poll(struct board *board) {
    int polls = 0;
    while (bridge_poll(&board->core, board_clock(board))) {
        PROMISE(++polls < POLLS_MAX);
        take_bytes(board);
    }
    take_bytes(board);
    uint8_t actuator;
    while (bridge_take_save(&board->core, &actuator)) {
        PROMISE(actuator < BRIDGE_ACTUATOR_COUNT);
    }
    set_enable(board);
}

static bool take_transfer(struct board *board) {
    return bridge_take_due(&board->core, board_clock(board)) ||
           bridge_take_untimed(&board->core, board_clock(board));
}

void board_run(struct board *board, uint32_t time_us, uint32_t step_us) {
    uint32_t end = board->now_us + time_us;
    while ((int32_t)(end - board->now_us) > 0) {
        uint32_t step = end - board->now_us < step_us ? end - board->now_us : step_us;
        const struct bridge_write *write = bridge_next_write(&board->core);
        int32_t ahead = write ? (int32_t)(write->due_us - board_clock(board)) : 0;
        board->now_us += ahead > 0 && (uint32_t)ahead < step ? (uint32_t)ahead : step;
        poll(board);
        for (int transfers = 0; take_transfer(board); transfers++) {
            PROMISE(transfers < TRANSFERS_MAX);
            transfer(board);
            poll(board);
        }
    }
}

void board_receive(struct board *board, uint8_t byte) {
    bridge_receive(&board->core, byte, board_clock(board));
}

void board_check(const struct board *board) {
    const struct bridge *core = &board->core;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        const struct actuator *actuator = &core->actuators[index];
        PROMISE(writes_count(&actuator->writes) <= sizeof actuator->writes.entries);
        PROMISE(!board->chips[index].otp_programmed);
        bool is_enabled = bridge_enabled(core) >> index & 1;
        PROMISE(actuator->state != BRIDGE_ACTUATOR_FAULT || !is_enabled);
    }
    uint32_t memory = 0;
    for (uint8_t index = 0; index < BRIDGE_STREAM_COUNT; index++) {
        const struct stream *stream = &core->streams[index];
        if (stream->actuators) {
            PROMISE(stream->memory.used <= stream->memory.capacity);
            PROMISE(stream->memory.readable <= stream->memory.used);
            memory += stream->memory.capacity;
        }
    }
    PROMISE(memory <= BRIDGE_EVENT_MEMORY);
}
