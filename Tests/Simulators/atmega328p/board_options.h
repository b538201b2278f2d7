// The command-line options that only this kind of board has.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>

struct board_options {
    const char *eeprom_path;      // the path of the EEPROM file; NULL if there is none
    const char *boot_loader_path; // the path of the boot loader; NULL if there is none
    bool resets_on_open;
};

#endif
