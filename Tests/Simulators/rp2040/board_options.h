// The command-line options that only this kind of board has.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct board_options {
    const char *flash_path;   // NULL if there is no file
    const char *bootsel_path; // NULL if there is no folder
    const char *usbip_path;   // NULL if there is no socket
    bool is_for_usbtest;      // see usbip.h
    uint8_t
        rom_version; // the option that selects the revision of the chip; 0 for the last revision
};

#endif
