// The command-line options that only this kind of board has.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>

struct board_options {
    const char *eeprom_path;      // NULL if there is no file
    const char *boot_loader_path; // NULL if there is no boot loader
    bool resets_on_open;
};

#endif
