/* The board as a whole: its start, and its description for the host. */
#include "board.h"

#include "flash.h"
#include "pins.h"
#include "reset.h"
#include "storage.h"
#include "usb.h"

/* Starts the board. EN is set low first, and the watchdog starts before any code that could hang.
   If the image contains invalid pins, because its file was damaged or edited by hand, the boot
   loader starts, so that a different file can be copied. */
void board_start(void) {
    if (!pins_are_valid()) {
        reset_to_boot_loader();
    }
    pins_start();
    reset_start();
    timer_start();
    flash_start();
    storage_start();
    i2c_start();
    usb_start();
}

void board_describe(struct bridge_board *board) {
    board->board_id = flash_id();
    board->firmware = BRIDGE_FIRMWARE_VERSION;
    board->boot_count = reset_count();
    board->features |= BRIDGE_FEATURES;
    board->reset_cause = reset_cause();
    board->kind = pins.board;
    board->actuators = pins.actuators;
    board->streams = pins.actuators;
}

void board_set_enable(uint16_t enabled) { pins_set_driver(enabled); }

void board_set_light(bool on) { pins_set_light(on); }
