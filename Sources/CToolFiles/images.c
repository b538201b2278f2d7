// The contents of the firmware images. Swift would take ten seconds to compile the content of one
// image as a literal.

#include "CToolFiles.h"

// Clang also accepts #embed in C11, but warns that it is an extension from C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t atmega328p[] = {
#embed "../../Firmware/boards/atmega328p/atmega328p.hex"
};

static const uint8_t atmega328p_several[] = {
#embed "../../Firmware/boards/atmega328p/atmega328p-several.hex"
};

static const uint8_t rp2040[] = {
#embed "../../Firmware/boards/rp2040/rp2040.uf2"
};

firmware_image_t firmware_image_atmega328p(void) {
    return (firmware_image_t){atmega328p, sizeof atmega328p};
}

firmware_image_t firmware_image_atmega328p_several(void) {
    return (firmware_image_t){atmega328p_several, sizeof atmega328p_several};
}

firmware_image_t firmware_image_rp2040(void) { return (firmware_image_t){rp2040, sizeof rp2040}; }
