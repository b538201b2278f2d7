#include "options.h"

#include <stddef.h>

enum { EEPROM_FILE = BOARD_OPTION, BOOT_LOADER, RESET_ON_OPEN };

const char board_usage[] = "usage: avr-board [options] [image.hex]\n";

const char board_options_usage[] =
    "  --eeprom FILE      contents of the EEPROM, read at start and written when changed\n"
    "  --bootloader FILE  boot loader (Intel hex, within the last 4 KB), started by resets\n"
    "  --reset-on-open    reset the board when the terminal is opened (not with --lock-step)\n";

const struct option board_long_options[] = {
    {"eeprom", required_argument, NULL, EEPROM_FILE},
    {"bootloader", required_argument, NULL, BOOT_LOADER},
    {"reset-on-open", no_argument, NULL, RESET_ON_OPEN},
    {NULL, 0, NULL, 0},
};

bool board_apply_option(struct board_options *own, int option, const char *argument) {
    switch (option) {
    case EEPROM_FILE:
        own->eeprom_path = argument;
        return true;
    case BOOT_LOADER:
        own->boot_loader_path = argument;
        return true;
    case RESET_ON_OPEN:
        own->resets_on_open = true;
        return true;
    default:
        return false;
    }
}

bool board_has_program(const struct board_options *own, bool has_image) {
    return has_image || own->boot_loader_path != NULL;
}
