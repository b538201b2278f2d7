// The command-line options that only this kind of board has.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct board_options {
    const char *flash_path;   // the file for the flash memory; NULL without the option
    const char *bootsel_path; // the folder for the boot loader's drive; NULL without the option
    const char *usbip_path;   // the socket for USB/IP; NULL without the option
    bool is_for_usbtest;      // see usbip.h
    uint8_t
        rom_version; // the option that selects the revision of the chip; 0 for the last revision
};

#endif
