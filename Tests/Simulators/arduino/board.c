#include "board.h"

#include "clock.h"
#include "random.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_CRASH 70

#define ENABLE_PIN 4u
#define WIRE_HZ 100000u // the frequency until the sketch sets one

// The maximum number of bytes in transit to the board; further bytes wait in the terminal.
#define BACKLOG_MAX 64u

struct board *the_board;

static void on_timer(void *owner, uint64_t when) {
    struct board *board = owner;
    schedule_at(&board->schedule, &board->own.timer, when + board->own.timer_period);
    board->own.on_timer();
}

static uint64_t arrival_of(const struct board *board, size_t index) {
    return board->own.arrivals[index % BOARD_RECEIVED_MAX];
}

static void on_arrival(void *owner, uint64_t when) {
    struct board *board = owner;
    size_t first = board->own.announced;
    while (board->own.announced != board->own.received_head &&
           arrival_of(board, board->own.announced) <= when) {
        board->own.announced++;
    }
    trace_line(&board->trace, "usb %" PRIu64 " out %zu", when, board->own.announced - first);
    if (board->own.announced != board->own.received_head) {
        schedule_at(&board->schedule, &board->own.arrival, arrival_of(board, board->own.announced));
    }
}

static void on_bus(void *owner, uint64_t when) {
    (void)owner;
    (void)when;
}

bool board_init_parts(struct board *board) {
    the_board = board;
    schedule_add(&board->schedule, &board->own.timer, on_timer, board);
    schedule_add(&board->schedule, &board->own.arrival, on_arrival, board);
    board_init_chips(board);
    board->i2c_bus.changed = on_bus;
    memset(board->own.cells, 0xFF, sizeof board->own.cells);
    return true;
}

bool board_load(struct board *board) {
    board->own.sketch.path = board->options->image_path;
    return sketch_start(&board->own.sketch);
}

// ---- Pins ----

// Applies the levels of the pins to the bus, to the LED and to EN. A wire of the bus is low if any
// pin holds it low, even if another pin drives it high.
void board_drive_pins(struct board *board) {
    struct i2c_pulls pulls = {
        .sda = board->own.is_output[API_SDA] && !board->own.is_high[API_SDA],
        .scl = board->own.is_output[API_SCL] && !board->own.is_high[API_SCL],
    };
    i2c_bus_set_pins(&board->i2c_bus, board->own.now, pulls);
    lamp_set(&board->lamp, board->own.now,
             board->own.is_output[API_LED] && board->own.is_high[API_LED]);
    for (unsigned index = 0; index < board->i2c_bus.count; index++) {
        unsigned pin = ENABLE_PIN + index;
        bool on = board->own.is_output[pin] && board->own.is_high[pin];
        if (on == (board->own.enabled >> index & 1)) {
            continue;
        }
        board->own.enabled ^= (uint8_t)(1u << index);
        if (board->i2c_bus.count == 1) {
            trace_line(&board->trace, "pin %" PRIu64 " EN %d", board->own.now, on);
        } else {
            trace_line(&board->trace, "pin %" PRIu64 " EN%u %d", board->own.now, index, on);
        }
        chip_enable(&board->chips[index], board->own.now, on);
    }
}

void board_set_jumper(struct board *board, bool on) { board->own.has_jumper = on; }

// ---- Power and reset ----

static void clear(struct board *board) {
    memset(board->own.is_output, 0, sizeof board->own.is_output);
    i2c_bus_abandon(&board->i2c_bus, board->own.now);
    i2c_bus_connect_controller(&board->i2c_bus, board->own.now, false);
    board_drive_pins(board);
    board->own.bus_limit_us = 0;
    board->own.bus_hz = WIRE_HZ;
    if (board->own.announced != board->own.received_head) {
        trace_line(&board->trace, "usb %" PRIu64 " lost %zu", board->own.now,
                   board->own.received_head - board->own.announced);
    }
    board->own.received_tail = board->own.received_head;
    board->own.announced = board->own.received_head;
    schedule_cancel(&board->schedule, &board->own.arrival);
    schedule_cancel(&board->schedule, &board->own.timer);
}

static void start(struct board *board, const char *name) {
    clear(board);
    board->own.starts = true;
    board->own.has_clock = false;
    trace_line(&board->trace, "reset %" PRIu64 " %s", board->own.now, name);
}

void board_power_changed(struct board *board) {
    board_set_chip_power(board, board->has_power);
    if (board->has_power) {
        struct random random = random_from(board->options->seed);
        for (size_t index = 0; index < SKETCH_KEPT_MAX; index++) {
            board->own.sketch.kept_copy[index] = random_byte(&random);
        }
        start(board, "power");
    } else {
        clear(board);
    }
}

void board_reset(struct board *board) {
    if (board->has_power) {
        sketch_keep(&board->own.sketch);
        start(board, "external");
    }
}

void board_set_dtr(struct board *board, bool on) {
    (void)board;
    (void)on;
}

// ---- Running ----

static void run_sketch(struct board *board) {
    if (board->own.starts) {
        board->own.starts = false;
        if (!sketch_start(&board->own.sketch)) {
            exit(EXIT_CRASH);
        }
    }
    sketch_resume(&board->own.sketch);
}

void board_run(struct board *board, uint64_t until) {
    while (board->own.now < until) {
        schedule_run(&board->schedule, board->own.now);
        board->own.limit = board->schedule.next < until ? board->schedule.next : until;
        if (board->has_power) {
            run_sketch(board);
        } else {
            board->own.now = board->own.limit;
        }
    }
    schedule_run(&board->schedule, until);
}

uint64_t board_now(const struct board *board) { return board->own.now; }

bool board_is_asleep(const struct board *board) { return !board->has_power; }

// ---- The host's port ----

void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size) {
    for (size_t index = 0; index < size; index++) {
        size_t head = board->own.received_head;
        if (head - board->own.received_tail == BOARD_RECEIVED_MAX) {
            fputs("error: the bytes exceed the capacity of the sketch's port\n", stderr);
            exit(EXIT_CRASH);
        }
        board->own.received[head % BOARD_RECEIVED_MAX] = bytes[index];
        board->own.arrivals[head % BOARD_RECEIVED_MAX] = when;
        board->own.received_head++;
    }
    schedule_at(&board->schedule, &board->own.arrival, arrival_of(board, board->own.announced));
}

size_t board_room(const struct board *board) {
    size_t waiting = board->own.received_head - board->own.received_tail;
    return waiting < BACKLOG_MAX ? BACKLOG_MAX - waiting : 0;
}

void board_set_rate(struct board *board, uint32_t baud) {
    (void)board;
    (void)baud;
}

bool board_is_sending(const struct board *board) {
    (void)board;
    return false;
}

void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner) {
    board->own.take = take;
    board->own.owner = owner;
}

// Bytes that the host does not read are lost.
bool board_hold_output(struct board *board, bool on) {
    (void)board;
    (void)on;
    return false;
}

bool board_has_new_port(struct board *board) {
    (void)board;
    return false;
}

void board_port_opened(struct board *board) { (void)board; }

void board_port_closed(struct board *board, bool hangs_up) {
    (void)board;
    (void)hangs_up;
}

bool board_serve(struct board *board, const struct options *options) {
    return terminal_serve(board, options);
}
