#include "board.h"

#include "intel_hex.h"
#include "terminal.h"

#include <inttypes.h>
#include <math.h>

// The maximum number of bytes on the cable, which represents the buffer of a USB adapter. Further
// bytes wait in the terminal.
#define BACKLOG_MAX 64u

#define START_UP_CYCLES (65000u * CYCLES_PER_US) // the start-up time that an Uno's fuses set

bool board_init_parts(struct board *board) {
    mcu_init(&board->own.mcu);
    const struct serial_receiver usart = usart_receiver(&board->own.usart);
    host_init(&board->own.host, &board->schedule, &board->trace, &usart);
    usart_init(&board->own.usart, &board->own.mcu, &board->schedule, &board->trace,
               &board->own.host.to_board, &board->own.host.from_board);
    board_init_chips(board);
    twi_init(&board->own.twi, &board->own.mcu, &board->schedule, &board->i2c_bus);
    ports_init(&board->own.ports, &board->own.mcu, &board->i2c_bus, &board->lamp, &board->trace);
    timer_init(&board->own.timer0, &timer0_layout, &board->own.timer1, &board->own.mcu,
               &board->schedule, &board->trace);
    timer_init(&board->own.timer1, &timer1_layout, &board->own.timer0, &board->own.mcu,
               &board->schedule, &board->trace);
    watchdog_init(&board->own.watchdog, &board->own.mcu, &board->schedule);
    self_programming_init(&board->own.self_programming, &board->own.mcu, &board->schedule);
    step_mark_init(&board->own.step_mark, &board->own.mcu);
    return eeprom_init(&board->own.eeprom, &board->own.mcu, &board->schedule, &board->trace,
                       board->options->own.eeprom_path);
}

bool board_load(struct board *board) {
    struct mcu *mcu = &board->own.mcu;
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

static void start(struct board *board, uint8_t causes, const char *name) {
    mcu_reset(&board->own.mcu);
    usart_reset(&board->own.usart);
    twi_reset(&board->own.twi);
    ports_reset(&board->own.ports);
    timer_reset(&board->own.timer0);
    timer_reset(&board->own.timer1);
    watchdog_reset(&board->own.watchdog, causes);
    eeprom_reset(&board->own.eeprom);
    self_programming_reset(&board->own.self_programming);
    step_mark_reset(&board->own.step_mark);
    trace_line(&board->trace, "reset %" PRIu64 " %s", board->own.mcu.now, name);
}

static void power_on(struct board *board) {
    board_set_chip_power(board, true);
    mcu_scramble(&board->own.mcu, board->options->seed);
    start(board, PORF, "power");
}

static void power_off(struct board *board) {
    mcu_reset(&board->own.mcu); // also clears the port registers
    usart_power_off(&board->own.usart);
    twi_power_off(&board->own.twi);
    ports_reset(&board->own.ports);
    timer_power_off(&board->own.timer0);
    timer_power_off(&board->own.timer1);
    watchdog_power_off(&board->own.watchdog);
    eeprom_power_off(&board->own.eeprom);
    self_programming_power_off(&board->own.self_programming);
    board_set_chip_power(board, false);
    i2c_bus_changed(&board->i2c_bus, board->own.mcu.now);
}

void board_power_changed(struct board *board) {
    if (board->has_power) {
        power_on(board);
    } else {
        power_off(board);
    }
}

void board_reset(struct board *board) {
    if (board->has_power) {
        start(board, board->own.mcu.data[MCUSR] | EXTRF, "external");
    }
}

void board_set_dtr(struct board *board, bool on) {
    if (on == board->own.dtr) {
        return;
    }
    board->own.dtr = on;
    trace_line(&board->trace, "dtr %" PRIu64 " %s", board->own.mcu.now, on ? "on" : "off");
    if (on) {
        board_reset(board);
        board->own.mcu.starts_at = board->own.mcu.now + START_UP_CYCLES;
    }
}

static void let_happen(struct board *board, uint64_t until) {
    schedule_run(&board->schedule, until);
    if (board->own.watchdog.wants_reset) {
        start(board, board->own.mcu.data[MCUSR] | WDRF, "watchdog");
    }
}

void board_run(struct board *board, uint64_t until) {
    struct mcu *mcu = &board->own.mcu;
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

uint64_t board_now(const struct board *board) { return board->own.mcu.now; }

bool board_is_asleep(const struct board *board) { return mcu_is_asleep(&board->own.mcu); }

void board_set_jumper(struct board *board, bool on) { board->own.ports.has_jumper = on; }

// ---- The host's port ----

void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size) {
    for (size_t index = 0; index < size; index++) {
        host_send(&board->own.host, when, bytes[index]);
    }
}

size_t board_room(const struct board *board) {
    return serial_wire_backlog(&board->own.host.to_board) < BACKLOG_MAX ? BACKLOG_MAX : 0;
}

// Sets the host's rate. A host rate that is lower than the board's rate models a board whose clock
// is fast.
void board_set_rate(struct board *board, uint32_t baud) {
    double seen = baud / (1 + board->options->fast_ppm / 1e6);
    host_set_rate(&board->own.host, (uint32_t)lround(seen));
}

bool board_is_sending(const struct board *board) {
    return serial_wire_is_busy(&board->own.host.from_board, board->own.mcu.now);
}

void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner) {
    board->own.host.take = take;
    board->own.host.owner = owner;
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
