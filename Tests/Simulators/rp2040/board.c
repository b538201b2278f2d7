#include "board.h"

#include "terminal.h"
#include "uf2.h"
#include "usbip_server.h"

#include <inttypes.h>

// The pins of a Raspberry Pi Pico (Schematics/pico), which are used for an image that does not list
// its pins.
static const struct pins_block pico_pins = {
    .i2c = 0, .sda = 4, .scl = 5, .enable = {6, 7, 8, 9, 10, 11, 12, 13}, .jumper = 2, .led = 25};

// ---- Called by the machine ----

static void read_flash(void *owner, uint32_t offset, uint8_t *bytes, size_t count) {
    const struct board *board = owner;
    for (size_t index = 0; index < count; index++) {
        bytes[index] = flash_chip_read(&board->own.flash, offset + (uint32_t)index);
    }
}

static void enter_bootsel(void *owner, uint64_t when) {
    struct board *board = owner;
    trace_line(&board->trace, "bootsel %" PRIu64, when);
    bootsel_open(&board->own.bootsel);
}

// Connects the external circuits to the pins that the image lists.
static void has_reset(void *owner, enum reset_cause cause) {
    (void)cause;
    struct board *board = owner;
    bootsel_close(&board->own.bootsel);
    struct pins_block pins;
    bool has_pins = pins_block_read(board->own.flash.cells, &pins);
    wiring_connect(&board->own.wiring, has_pins ? &pins : &pico_pins);
}

// ---- Set-up ----

static void init_usb(struct board *board, const struct options *options) {
    const struct usb_listener listener = usb_host_listener(&board->own.usb_host);
    const struct usb_user user = usb_session_user(&board->own.usb_session);
    bool has_usbip = options->own.usbip_path != NULL;
    const struct usb_driver driver =
        has_usbip ? usbip_driver(&board->own.usbip) : usb_port_driver(&board->own.usb_port);
    usb_controller_init(&board->own.usb, &board->own.machine, &listener);
    usb_host_init(&board->own.usb_host, &board->own.machine, &board->own.usb, &user,
                  options->fast_ppm);
    usb_session_init(&board->own.usb_session, &board->own.usb_host, &driver);
    usb_request_init(&board->own.usb_request, &board->own.usb_host,
                     &board->own.usb_session.function);
    usb_port_init(&board->own.usb_port, &board->own.usb_host, options->is_lock_step);
    usbip_init(&board->own.usbip, &board->own.usb_host, options->own.is_for_usbtest);
    usb_host_plug(&board->own.usb_host, !has_usbip);
}

bool board_init_parts(struct board *board) {
    const struct options *options = board->options;
    const struct machine_board seam = {.read_flash = read_flash,
                                       .enter_bootsel = enter_bootsel,
                                       .has_reset = has_reset,
                                       .owner = board};
    machine_init(&board->own.machine, &board->schedule, &board->trace, &seam, options->seed);
    board->own.machine.boot_rom.version =
        options->own.rom_version != 0 ? options->own.rom_version : ROM_VERSION_B2;
    board_init_chips(board);
    for (unsigned number = 0; number < 2; number++) {
        dw_i2c_init(&board->own.i2c[number], &board->own.machine, &board->i2c_bus, number);
    }
    wiring_init(&board->own.wiring, &board->own.machine, &board->i2c_bus, &board->lamp,
                board->own.i2c);
    wiring_connect(&board->own.wiring, &pico_pins);
    init_usb(board, options);
    bool is_right = flash_chip_init(&board->own.flash, &board->own.machine, options->own.flash_path,
                                    options->seed);
    ssi_init(&board->own.ssi, &board->own.machine, &board->own.flash);
    bootsel_init(&board->own.bootsel, &board->own.machine, &board->own.flash,
                 options->own.bootsel_path);
    return is_right;
}

bool board_load(struct board *board) {
    uint8_t *cells = board->own.flash.cells;
    if (board->options->image_path == NULL) {
        return true;
    }
    if (!uf2_load(board->options->image_path, cells, FLASH_SIZE)) {
        return false;
    }
    struct pins_block pins;
    if (pins_block_read(cells, &pins)) {
        pins_block_set_actuators(cells, board->options->actuators);
    }
    flash_chip_save(&board->own.flash, 0, FLASH_SIZE);
    return true;
}

// ---- Events from outside ----

void board_power_changed(struct board *board) {
    if (board->has_power) {
        board_set_chip_power(board, true);
        usb_controller_scramble(&board->own.usb, board->options->seed);
        machine_set_power(&board->own.machine, true);
    } else {
        bootsel_close(&board->own.bootsel);
        machine_set_power(&board->own.machine, false);
        flash_chip_power_off(&board->own.flash);
        board_set_chip_power(board, false);
        i2c_bus_changed(&board->i2c_bus, board->own.machine.now);
    }
}

void board_reset(struct board *board) { machine_pull_run(&board->own.machine); }

void board_run(struct board *board, uint64_t until) {
    bootsel_poll(&board->own.bootsel);
    machine_run(&board->own.machine, until);
}

uint64_t board_now(const struct board *board) { return board->own.machine.now; }

bool board_is_asleep(const struct board *board) {
    const struct machine *machine = &board->own.machine;
    return machine->boot_rom.state != BOOT_DONE || m0_sleeps(&machine->cpu);
}

void board_set_jumper(struct board *board, bool on) { board->own.wiring.has_jumper = on; }

// ---- The host's port ----

void board_set_dtr(struct board *board, bool on) { usb_port_set_dtr(&board->own.usb_port, on); }

void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size) {
    usb_port_write(&board->own.usb_port, when, bytes, size);
}

size_t board_room(const struct board *board) { return usb_port_room(&board->own.usb_port); }

void board_set_rate(struct board *board, uint32_t baud) {
    usb_port_set_rate(&board->own.usb_port, baud);
}

bool board_is_sending(const struct board *board) { return usb_host_is_busy(&board->own.usb_host); }

void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner) {
    board->own.usb_port.take = take;
    board->own.usb_port.owner = owner;
}

bool board_hold_output(struct board *board, bool on) {
    usb_port_hold(&board->own.usb_port, on);
    return true;
}

bool board_has_new_port(struct board *board) {
    bool is_new = board->own.usb_port.is_new;
    board->own.usb_port.is_new = false;
    return is_new;
}

void board_port_opened(struct board *board) {
    usb_port_set_dtr(&board->own.usb_port, true);
    usb_port_open(&board->own.usb_port, true);
}

void board_port_closed(struct board *board, bool hangs_up) {
    if (hangs_up) {
        usb_port_set_dtr(&board->own.usb_port, false);
    }
    if (board->own.usb_port.is_open) {
        usb_port_open(&board->own.usb_port, false);
    }
}

bool board_serve(struct board *board, const struct options *options) {
    bool has_usbip = options->own.usbip_path != NULL;
    return has_usbip ? usbip_serve(board, options) : terminal_serve(board, options);
}
