// The command-line options that only this kind of board has.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct board_options {
    const char *flash_path;   // the path of the flash file; NULL if there is none
    const char *bootsel_path; // the folder in which BOOTSEL's drive appears; NULL if there is none
    const char *usbip_path;   // the path of the USB/IP socket; NULL if there is none
    bool is_for_usbtest;      // see usbip.h
    uint8_t
        rom_version; // the option that selects the revision of the chip; 0 for the last revision
};

#endif
