#include "board.h"

#include "clock.h"
#include "random.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_CRASH 70

#define ENABLE_PIN 4u

// Bytes under way to the board; more wait in the terminal.
#define BACKLOG_MAX 64u

struct board *the_board;

static void on_timer(void *owner, uint64_t when) {
    struct board *board = owner;
    schedule_at(&board->schedule, &board->timer, when + board->timer_period);
    board->on_timer();
}

static uint64_t arrival_of(const struct board *board, size_t index) {
    return board->arrivals[index % BOARD_RECEIVED_MAX];
}

static void on_arrival(void *owner, uint64_t when) {
    struct board *board = owner;
    size_t first = board->announced;
    while (board->announced != board->received_head &&
           arrival_of(board, board->announced) <= when) {
        board->announced++;
    }
    trace_line(&board->trace, "usb %" PRIu64 " out %zu", when, board->announced - first);
    if (board->announced != board->received_head) {
        schedule_at(&board->schedule, &board->arrival, arrival_of(board, board->announced));
    }
}

static void on_bus(void *owner, uint64_t when) {
    (void)owner;
    (void)when;
}

bool board_init(struct board *board, const struct options *options, FILE *trace) {
    *board = (struct board){.trace = {.out = trace}, .options = options};
    the_board = board;
    schedule_init(&board->schedule);
    schedule_add(&board->schedule, &board->timer, on_timer, board);
    schedule_add(&board->schedule, &board->arrival, on_arrival, board);
    unsigned count = options->actuators;
    for (unsigned index = 0; index < count; index++) {
        chip_init(&board->chips[index], &board->schedule, &board->trace,
                  count == 1 ? -1 : (int)index, options->device_id, options->has_driver);
    }
    board->chip = board->chips;
    i2c_bus_init(&board->i2c_bus, board->chips, count, &board->trace);
    board->i2c_bus.changed = on_bus;
    memset(board->cells, 0xFF, sizeof board->cells);
    return true;
}

bool board_load(struct board *board) {
    board->sketch.path = board->options->image_path;
    return sketch_start(&board->sketch);
}

// ---- Pins ----

// A pin that is driven high does not win against one that is held low.
void board_drive_pins(struct board *board) {
    struct i2c_pulls pulls = {
        .sda = board->is_output[API_SDA] && !board->is_high[API_SDA],
        .scl = board->is_output[API_SCL] && !board->is_high[API_SCL],
    };
    i2c_bus_set_pins(&board->i2c_bus, board->now, pulls);
    lamp_set(&board->lamp, board->now, board->is_output[API_LED] && board->is_high[API_LED]);
    for (unsigned index = 0; index < board->i2c_bus.count; index++) {
        unsigned pin = ENABLE_PIN + index;
        bool on = board->is_output[pin] && board->is_high[pin];
        if (on == (board->enabled >> index & 1)) {
            continue;
        }
        board->enabled ^= (uint8_t)(1u << index);
        if (board->i2c_bus.count == 1) {
            trace_line(&board->trace, "pin %" PRIu64 " EN %d", board->now, on);
        } else {
            trace_line(&board->trace, "pin %" PRIu64 " EN%u %d", board->now, index, on);
        }
        chip_enable(&board->chips[index], board->now, on);
    }
}

void board_set_jumper(struct board *board, bool on) { board->has_jumper = on; }

// ---- Power and reset ----

static void clear(struct board *board) {
    memset(board->is_output, 0, sizeof board->is_output);
    i2c_bus_abandon(&board->i2c_bus, board->now);
    i2c_bus_connect_controller(&board->i2c_bus, board->now, false);
    board_drive_pins(board);
    board->bus_limit_us = 0;
    if (board->announced != board->received_head) {
        trace_line(&board->trace, "usb %" PRIu64 " lost %zu", board->now,
                   board->received_head - board->announced);
    }
    board->received_tail = board->received_head;
    board->announced = board->received_head;
    schedule_cancel(&board->schedule, &board->arrival);
    schedule_cancel(&board->schedule, &board->timer);
}

static void start(struct board *board, const char *name) {
    clear(board);
    board->starts = true;
    board->has_clock = false;
    trace_line(&board->trace, "reset %" PRIu64 " %s", board->now, name);
}

static void set_chip_power(struct board *board, bool on) {
    i2c_bus_set_power(&board->i2c_bus, on);
    for (unsigned index = 0; index < board->i2c_bus.count; index++) {
        chip_set_board_power(&board->chips[index], board->now, on);
    }
}

void board_set_power(struct board *board, bool on) {
    if (on == board->has_power) {
        return;
    }
    board->has_power = on;
    set_chip_power(board, on);
    if (on) {
        struct random random = random_from(board->options->seed);
        for (size_t index = 0; index < SKETCH_KEPT_MAX; index++) {
            board->sketch.kept_copy[index] = random_byte(&random);
        }
        start(board, "power");
    } else {
        clear(board);
    }
}

void board_reset(struct board *board) {
    if (board->has_power) {
        sketch_keep(&board->sketch);
        start(board, "external");
    }
}

void board_set_dtr(struct board *board, bool on) {
    (void)board;
    (void)on;
}

// ---- Running ----

static void run_sketch(struct board *board) {
    if (board->starts) {
        board->starts = false;
        if (!sketch_start(&board->sketch)) {
            exit(EXIT_CRASH);
        }
    }
    sketch_resume(&board->sketch);
}

void board_run(struct board *board, uint64_t until) {
    while (board->now < until) {
        schedule_run(&board->schedule, board->now);
        board->limit = board->schedule.next < until ? board->schedule.next : until;
        if (board->has_power) {
            run_sketch(board);
        } else {
            board->now = board->limit;
        }
    }
    schedule_run(&board->schedule, until);
}

uint64_t board_now(const struct board *board) { return board->now; }

bool board_is_asleep(const struct board *board) { return !board->has_power; }

// ---- The host's port ----

void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size) {
    for (size_t index = 0; index < size; index++) {
        size_t head = board->received_head;
        if (head - board->received_tail == BOARD_RECEIVED_MAX) {
            fputs("error: more bytes than a sketch's port holds\n", stderr);
            exit(EXIT_CRASH);
        }
        board->received[head % BOARD_RECEIVED_MAX] = bytes[index];
        board->arrivals[head % BOARD_RECEIVED_MAX] = when;
        board->received_head++;
    }
    schedule_at(&board->schedule, &board->arrival, arrival_of(board, board->announced));
}

size_t board_room(const struct board *board) {
    size_t waiting = board->received_head - board->received_tail;
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
    board->take = take;
    board->owner = owner;
}

// What the host does not take is lost.
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
