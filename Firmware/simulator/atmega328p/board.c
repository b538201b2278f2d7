#include "board.h"

#include "intel_hex.h"
#include "terminal.h"

#include <inttypes.h>
#include <math.h>

// Bytes on the cable, as in the buffer of a USB adapter; more wait in the terminal.
#define BACKLOG_MAX 64u

#define START_UP_CYCLES (65000u * CYCLES_PER_US) // by an Uno's fuses

bool board_init(struct board *board, const struct options *options, FILE *trace) {
    *board = (struct board){.trace = {.out = trace}, .options = options};
    schedule_init(&board->schedule);
    mcu_init(&board->mcu);
    const struct serial_receiver usart = usart_receiver(&board->usart);
    host_init(&board->host, &board->schedule, &board->trace, &usart);
    usart_init(&board->usart, &board->mcu, &board->schedule, &board->trace, &board->host.to_board,
               &board->host.from_board);
    unsigned count = options->actuators;
    for (unsigned index = 0; index < count; index++) {
        chip_init(&board->chips[index], &board->schedule, &board->trace,
                  count == 1 ? -1 : (int)index, options->device_id, options->has_driver);
    }
    board->chip = board->chips;
    i2c_bus_init(&board->i2c_bus, board->chips, count, &board->trace);
    twi_init(&board->twi, &board->mcu, &board->schedule, &board->i2c_bus);
    ports_init(&board->ports, &board->mcu, &board->i2c_bus, &board->lamp, &board->trace);
    timer_init(&board->timer0, &timer0_layout, &board->timer1, &board->mcu, &board->schedule,
               &board->trace);
    timer_init(&board->timer1, &timer1_layout, &board->timer0, &board->mcu, &board->schedule,
               &board->trace);
    watchdog_init(&board->watchdog, &board->mcu, &board->schedule);
    self_programming_init(&board->self_programming, &board->mcu, &board->schedule);
    step_mark_init(&board->step_mark, &board->mcu);
    return eeprom_init(&board->eeprom, &board->mcu, &board->schedule, &board->trace,
                       options->own.eeprom_path);
}

bool board_load(struct board *board) {
    struct mcu *mcu = &board->mcu;
    const struct options *options = board->options;
    uint32_t lowest = FLASH_SIZE;
    if (options->own.boot_loader_path != NULL) {
        if (!intel_hex_load(options->own.boot_loader_path, mcu->flash,
                            FLASH_SIZE - BOOT_SECTION_MAX, FLASH_SIZE, &lowest)) {
            return false;
        }
        mcu_set_boot_loader(mcu, lowest);
    }
    return options->image_path == NULL ||
           intel_hex_load(options->image_path, mcu->flash, 0, mcu->boot_start, &lowest);
}

static void set_chip_power(struct board *board, bool on) {
    i2c_bus_set_power(&board->i2c_bus, on);
    for (unsigned index = 0; index < board->i2c_bus.count; index++) {
        chip_set_board_power(&board->chips[index], board->mcu.now, on);
    }
}

static void start(struct board *board, uint8_t causes, const char *name) {
    mcu_reset(&board->mcu);
    usart_reset(&board->usart);
    twi_reset(&board->twi);
    ports_reset(&board->ports);
    timer_reset(&board->timer0);
    timer_reset(&board->timer1);
    watchdog_reset(&board->watchdog, causes);
    eeprom_reset(&board->eeprom);
    self_programming_reset(&board->self_programming);
    step_mark_reset(&board->step_mark);
    trace_line(&board->trace, "reset %" PRIu64 " %s", board->mcu.now, name);
}

static void power_on(struct board *board) {
    set_chip_power(board, true);
    mcu_scramble(&board->mcu, board->options->seed);
    start(board, PORF, "power");
}

static void power_off(struct board *board) {
    mcu_reset(&board->mcu); // the pins, too
    usart_power_off(&board->usart);
    twi_power_off(&board->twi);
    ports_reset(&board->ports);
    timer_power_off(&board->timer0);
    timer_power_off(&board->timer1);
    watchdog_power_off(&board->watchdog);
    eeprom_power_off(&board->eeprom);
    self_programming_power_off(&board->self_programming);
    set_chip_power(board, false);
    i2c_bus_changed(&board->i2c_bus, board->mcu.now);
}

void board_set_power(struct board *board, bool on) {
    if (on == board->has_power) {
        return;
    }
    board->has_power = on;
    if (on) {
        power_on(board);
    } else {
        power_off(board);
    }
}

void board_reset(struct board *board) {
    if (board->has_power) {
        start(board, board->mcu.data[MCUSR] | EXTRF, "external");
    }
}

void board_set_dtr(struct board *board, bool on) {
    if (on == board->dtr) {
        return;
    }
    board->dtr = on;
    trace_line(&board->trace, "dtr %" PRIu64 " %s", board->mcu.now, on ? "on" : "off");
    if (on) {
        board_reset(board);
        board->mcu.starts_at = board->mcu.now + START_UP_CYCLES;
    }
}

static void let_happen(struct board *board, uint64_t until) {
    schedule_run(&board->schedule, until);
    if (board->watchdog.wants_reset) {
        start(board, board->mcu.data[MCUSR] | WDRF, "watchdog");
    }
}

void board_run(struct board *board, uint64_t until) {
    struct mcu *mcu = &board->mcu;
    while (mcu->now < until) {
        let_happen(board, mcu->now);
        uint64_t limit = board->schedule.next < until ? board->schedule.next : until;
        if (board->has_power) {
            mcu_step(mcu, limit);
        } else {
            mcu->now = limit;
        }
    }
    let_happen(board, until);
}

uint64_t board_now(const struct board *board) { return board->mcu.now; }

bool board_is_asleep(const struct board *board) { return mcu_is_asleep(&board->mcu); }

void board_set_jumper(struct board *board, bool on) { board->ports.has_jumper = on; }

// ---- The host's port ----

void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size) {
    for (size_t index = 0; index < size; index++) {
        host_send(&board->host, when, bytes[index]);
    }
}

size_t board_room(const struct board *board) {
    return serial_wire_backlog(&board->host.to_board) < BACKLOG_MAX ? BACKLOG_MAX : 0;
}

// A board whose clock is fast sees a slow host.
void board_set_rate(struct board *board, uint32_t baud) {
    double seen = baud / (1 + board->options->fast_ppm / 1e6);
    host_set_rate(&board->host, (uint32_t)lround(seen));
}

bool board_is_sending(const struct board *board) {
    return serial_wire_is_busy(&board->host.from_board, board->mcu.now);
}

void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner) {
    board->host.take = take;
    board->host.owner = owner;
}

bool board_hold_output(struct board *board, bool on) {
    (void)board;
    (void)on;
    return false;
}

bool board_has_new_port(struct board *board) {
    (void)board;
    return false;
}

void board_port_opened(struct board *board) {
    if (board->options->own.resets_on_open) {
        board_reset(board);
    }
    if (board->options->control_path != NULL) {
        board_set_dtr(board, true);
    }
}

void board_port_closed(struct board *board, bool hangs_up) {
    if (board->options->control_path != NULL && hangs_up) {
        board_set_dtr(board, false);
    }
}

bool board_serve(struct board *board, const struct options *options) {
    return terminal_serve(board, options);
}
