// The command-line options of this kind of board only.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct board_options {
    const char *flash_path;   // or NULL
    const char *bootsel_path; // or NULL
    const char *usbip_path;   // or NULL
    bool is_for_usbtest;      // as usbip.h has it
    uint8_t rom_version;      // selects the revision of the chip; 0: the last
};

#endif
