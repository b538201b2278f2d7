#include "options.h"

#include <stddef.h>

#include "words.h"

enum { FLASH_FILE = BOARD_OPTION, BOOTSEL, USBIP, USBTEST, REVISION };

const char board_usage[] = "usage: pico-board [options] image.uf2\n";

const char board_options_usage[] =
    "  --flash FILE       contents of the flash, read at start and written when changed\n"
    "  --bootsel DIR      where the drive RPI-RP2 appears as a folder (not with --lock-step)\n"
    "  --usbip SOCKET     USB/IP for Linux's vhci_hcd instead of a pseudo-terminal\n"
    "  --usbtest          with --usbip: present the device in the form that Linux's usbtest needs\n"
    "  --revision N       revision of the chip: b0, b1 or b2 (default b2)\n";

const struct option board_long_options[] = {
    {"flash", required_argument, NULL, FLASH_FILE},  {"bootsel", required_argument, NULL, BOOTSEL},
    {"usbip", required_argument, NULL, USBIP},       {"usbtest", no_argument, NULL, USBTEST},
    {"revision", required_argument, NULL, REVISION}, {NULL, 0, NULL, 0},
};

static bool apply_revision(struct board_options *own, const char *argument) {
    static const char *const revisions[] = {"b0", "b1", "b2"};
    size_t choice = 0;
    bool is_known = word_choice(argument, revisions, 3, &choice);
    own->rom_version = (uint8_t)(choice + 1);
    return is_known;
}

bool board_apply_option(struct board_options *own, int option, const char *argument) {
    switch (option) {
    case FLASH_FILE:
        own->flash_path = argument;
        return true;
    case BOOTSEL:
        own->bootsel_path = argument;
        return true;
    case USBIP:
        own->usbip_path = argument;
        return true;
    case USBTEST:
        own->is_for_usbtest = true;
        return true;
    case REVISION:
        return apply_revision(own, argument);
    default:
        return false;
    }
}

bool board_has_program(const struct board_options *own, bool has_image) {
    return has_image || own->flash_path != NULL || own->bootsel_path != NULL;
}
