// The command-line options of this kind of board only.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>

struct board_options {
    const char *eeprom_path;      // or NULL
    const char *boot_loader_path; // or NULL
    bool resets_on_open;
};

#endif
