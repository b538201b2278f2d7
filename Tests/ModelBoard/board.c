#include "board.h"

#include <string.h>

#include "Firmware/boards/common/board_hal.h"
#include "Firmware/core/support/time.h"

#define ROUNDS_MAX 20000
#define TRANSFER_US 98
#define ADDRESS (DRIVER_I2C_ADDRESS << 1)

/* The configuration that the host calculates for a coin LRA of 170 Hz (vectors/messages.txt). */
static const struct configuration coin = {
    {0x01, 0x02, 0xa4, 0x06, 0xc4, 0x09, 0xd4, 0x0d, 0xe9, 0x5b, 0xfa, 0x16,
     0x23, 0x1d, 0xee, 0x02, 0x14, 0x78, 0xfa, 0xf0, 0x01, 0x00, 0x69, 0xa6,
     0x0c, 0x6c, 0xa6, 0x98, 0x75, 0x88, 0x30, 0x80, 0x3c, 0xcc, 0x20, 0x03,
     0x63, 0x6f, 0x69, 0x6e, 0x20, 0x31, 0x30, 0x6d, 0x6d, 0x00, 0x00, 0x00}};

struct board board;

/* ---- The functions of board_hal.h --------------------------------------------------------- */

void board_start(void) {}

void board_describe(struct bridge_board *facts) {
    facts->firmware = BRIDGE_FIRMWARE_VERSION;
    facts->reset_cause = BRIDGE_RESET_POWER;
    facts->boot_count = 1;
    facts->kind = BRIDGE_BOARD_VIRTUAL;
    facts->features |= BRIDGE_FEATURE_STORAGE;
#if !BRIDGE_HAS_ALL
    facts->actuators = BRIDGE_ACTUATOR_COUNT;
    facts->streams = BRIDGE_STREAM_COUNT;
#endif
}

uint32_t board_now_us(void) { return BRIDGE_CLOCK_AT_BOOT + board.now_us; }

void board_set_alarm(uint32_t time_us) {
    board.has_alarm = true;
    board.alarm_us = time_us;
}

void board_wait(void) {}

uint8_t board_peek(const uint8_t **bytes, uint32_t *stamp_us) {
    uint16_t tail = board.received_tail;
    if (tail == board.received_head || bridge_is_before(board_now_us(), board.stamps[tail])) {
        return 0;
    }
    *bytes = &board.received[tail];
    *stamp_us = board.stamps[tail];
    return 1;
}

void board_drop(uint8_t count) {
    board.received_tail = (uint16_t)((board.received_tail + count) % BOARD_RECEIVED_COUNT);
}

uint16_t board_lost_bytes(void) { return 0; }

bool board_can_send(void) { return true; }

void board_send(uint8_t byte) { board.send(byte); }

void board_set_enable(uint16_t pins) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if ((board.enabled ^ pins) >> index & 1) {
            drv2605_model_enable(&board.chips[index], board.now_us, pins >> index & 1);
        }
    }
    board.enabled = pins;
}

/* The board has no light. */
void board_set_light(bool on) { (void)on; }

void board_start_transfer(const struct bridge_transfer *transfer) {
    PROMISE(!board.has_transfer);
    board.has_transfer = true;
    board.transfer = *transfer;
    board.transfer_end_us = board.now_us + TRANSFER_US;
}

/* Transfers take the same time at any clock frequency. */
void board_set_bus_clock(bool is_slow) { (void)is_slow; }

bool board_find_selected(uint8_t *actuators) {
    (void)actuators;
    return false;
}

void board_free_bus(void) { board.has_transfer = false; }

bool board_probe(uint8_t address) {
    bool is_acknowledged = false;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct drv2605_model *chip = &board.chips[index];
        is_acknowledged |= drv2605_model_start(chip, board.now_us, (uint8_t)(address << 1));
        drv2605_model_stop(chip, board.now_us);
    }
    return is_acknowledged;
}

bool board_has_swapped_wires(void) { return false; }

static uint8_t *record_of(enum board_record record, uint8_t actuator) {
    return record == BOARD_LOCK ? board.locks[actuator].bytes
                                : board.configurations[actuator].bytes;
}

bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    memcpy(bytes, record_of(record, actuator), size);
    return true;
}

bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    PROMISE(actuator < BRIDGE_ACTUATOR_COUNT);
    memcpy(record_of(record, actuator), bytes, size);
    return true;
}

bool board_erases_locks(void) { return false; }

uint16_t board_kept_heat(uint8_t actuator) { return board.heat[actuator]; }

void board_keep_heat(uint8_t actuator, uint16_t heat) { board.heat[actuator] = heat; }

void board_feed_watchdog(void) {}

void board_enter_bootloader(void) {}

/* ---- The board --------------------------------------------------------------------------- */

void board_begin(void (*send)(uint8_t byte)) {
    memset(&board, 0, sizeof board);
    board.send = send;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        drv2605_model_init(&board.chips[index], 7, 0);
        board.configurations[index] = coin;
    }
    port_start();
    PROMISE(bridge_configuration(&port_bridge, 0)->bytes[0] == coin.bytes[0]);
}

void board_arrive(uint8_t byte) {
    uint16_t head = board.received_head;
    uint16_t next = (uint16_t)((head + 1) % BOARD_RECEIVED_COUNT);
    PROMISE(next != board.received_tail);
    uint32_t start_us = board_now_us();
    if (head != board.received_tail) {
        uint32_t free_us = board.stamps[(head + BOARD_RECEIVED_COUNT - 1) % BOARD_RECEIVED_COUNT];
        start_us = bridge_later(start_us, free_us);
    }
    board.received[head] = byte;
    board.stamps[head] = start_us + board.byte_us;
    board.received_head = next;
}

uint16_t board_room(void) {
    uint16_t used = (uint16_t)(board.received_head - board.received_tail) % BOARD_RECEIVED_COUNT;
    return (uint16_t)(BOARD_RECEIVED_COUNT - 1 - used);
}

static bool put(struct drv2605_model *chip, struct bridge_transfer next, uint64_t now,
                uint8_t *value) {
    bool ok =
        drv2605_model_start(chip, now, ADDRESS) && drv2605_model_write_byte(chip, now, next.reg);
    if (ok && next.is_read) {
        ok = drv2605_model_start(chip, now, ADDRESS | 1);
        *value = ok ? drv2605_model_read_byte(chip, now) : 0;
    } else if (ok) {
        ok = drv2605_model_write_byte(chip, now, next.value);
    }
    drv2605_model_stop(chip, now);
    return ok;
}

/* Ends a transfer. One or more of several chips may acknowledge a write, but a read addresses only
 * one chip. */
static void end_transfer(void) {
    struct bridge_transfer next = board.transfer;
    if (next.address_byte != ADDRESS) { /* the board has no sensor */
        board.has_transfer = false;
        port_on_bus_end(false, 0);
        return;
    }
    uint8_t mask = BRIDGE_ACTUATOR_COUNT > 1 ? next.actuators : 1;
    PROMISE(mask && mask < 1u << BRIDGE_ACTUATOR_COUNT);
    PROMISE(!next.is_read || !(mask & (mask - 1)));
    uint8_t value = 0;
    bool ok = false;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (mask >> index & 1) {
            ok |= put(&board.chips[index], next, board.now_us, &value);
        }
    }
    board.has_transfer = false;
    port_on_bus_end(ok, value);
}

/* Returns the time until the next event, at most `most`. */
static uint32_t time_to_event(uint32_t most) {
    if (board.has_transfer && board.transfer_end_us - board.now_us < most) {
        most = board.transfer_end_us - board.now_us;
    }
    if (board.has_alarm) {
        int32_t ahead = (int32_t)(board.alarm_us - board_now_us());
        uint32_t left = ahead > 0 ? (uint32_t)ahead : 0;
        most = left < most ? left : most;
    }
    return most;
}

static void interrupt(void) {
    if (board.has_transfer && board.now_us == board.transfer_end_us) {
        end_transfer();
    }
    if (board.has_alarm && (int32_t)(board.alarm_us - board_now_us()) <= 0) {
        board.has_alarm = false;
        port_on_timer();
    }
}

void board_run(uint32_t time_us, uint32_t step_us) {
    uint32_t end_us = board.now_us + time_us;
    while (board.now_us != end_us) {
        uint32_t left = end_us - board.now_us;
        board.now_us += time_to_event(left < step_us ? left : step_us);
        interrupt();
        int rounds = 0;
        while (port_round(PORT_ROUND_BYTES, PORT_ROUND_POLLS)) {
            PROMISE(++rounds < ROUNDS_MAX);
        }
    }
}
