// The images that are committed in Firmware/boards, for the program that flashes
// them.

#ifndef FIRMWARE_IMAGES_H
#define FIRMWARE_IMAGES_H

#include <stddef.h>
#include <stdint.h>

/// The bytes of an image's file.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} firmware_image_t;

/// The image of the reference board for one actuator, as Intel hex.
firmware_image_t firmware_image_atmega328p(void);

/// The image of the reference board for up to four actuators behind a TCA9548A, as Intel hex.
firmware_image_t firmware_image_atmega328p_several(void);

/// The image of boards with an RP2040, as UF2. Its pins are those of a Raspberry Pi Pico with one
/// actuator.
firmware_image_t firmware_image_rp2040(void);

#endif
