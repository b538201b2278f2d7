// CToolFiles: the images that are committed in Firmware/boards, and the files of the page of
// `bridge studio`, which are in Sources/Studio/Page.

#ifndef CTOOLFILES_H
#define CTOOLFILES_H

#include <stddef.h>
#include <stdint.h>

/// The content of the file that contains a firmware image.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} firmware_image_t;

/// The image of the reference board for one actuator, as Intel hex.
firmware_image_t firmware_image_atmega328p(void);

/// The image of the reference board for up to four actuators behind a TCA9548A, as Intel hex.
firmware_image_t firmware_image_atmega328p_several(void);

/// The image of boards with an RP2040, as UF2. The pins in the image are the pins of a Raspberry Pi
/// Pico with one actuator.
firmware_image_t firmware_image_rp2040(void);

/// A file of the `bridge studio` page.
typedef struct {
    /// The name under which the browser requests the file.
    const char *name;
    const uint8_t *bytes;
    size_t count;
} studio_page_file_t;

/// Returns the number of files of the page.
size_t studio_page_count(void);

/// Returns the file with an index from 0 to studio_page_count() - 1.
studio_page_file_t studio_page_file(size_t index);

#endif
