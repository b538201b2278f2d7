#include "usb_descriptors.h"

#include <stddef.h>

#include "../../core/support/version.h"
#include "flash.h"

#define WORD(value) (value) & 0xff, (value) >> 8

/* Types of descriptors (USB 2.0 table 9-5; CDC 1.2 table 12; IAD ECN). */
enum descriptor_type {
    DEVICE = 1,
    CONFIGURATION = 2,
    STRING = 3,
    INTERFACE = 4,
    ENDPOINT = 5,
    INTERFACE_ASSOCIATION = 11,
    CLASS_INTERFACE = 0x24,
};

enum string_index { LANGUAGES, MANUFACTURER, PRODUCT, SERIAL };

/* Raspberry Pi's id for a serial port of an RP2040 that has no id of its own: such a device is told
   by its strings. */
#define VENDOR_ID 0x2e8a
#define PRODUCT_ID 0x000a

#define ENGLISH 0x0409
#define BULK 2
#define INTERRUPT 3
#define NOTIFICATION_SIZE 8
#define POLLED_EACH_MS 16

/* Board and actuators, in units of 2 mA. */
#define CURRENT (500 / 2)

static const uint8_t device[] = {
    18,
    DEVICE,
    WORD(0x0200), /* USB 2.0 */
    0xef,
    2,
    1, /* a device with interface associations */
    USB_CONTROL_PACKET_SIZE,
    WORD(VENDOR_ID),
    WORD(PRODUCT_ID),
    WORD(BRIDGE_FIRMWARE_VERSION),
    MANUFACTURER,
    PRODUCT,
    SERIAL,
    1, /* configuration */
};

#define CONFIGURATION_SIZE 75

static const uint8_t configuration[] = {
    9,
    CONFIGURATION,
    WORD(CONFIGURATION_SIZE),
    2,
    1,
    0,
    0x80,
    CURRENT,
    8,
    INTERFACE_ASSOCIATION,
    0,
    2,
    2,
    2,
    0,
    0,
    /* The control interface: an abstract control model without AT commands. */
    9,
    INTERFACE,
    0,
    0,
    1,
    2,
    2,
    0,
    0,
    5,
    CLASS_INTERFACE,
    0,
    WORD(0x0120), /* header: CDC 1.2 */
    5,
    CLASS_INTERFACE,
    1,
    0,
    1, /* calls are not managed */
    4,
    CLASS_INTERFACE,
    2,
    2, /* line coding and control line state */
    5,
    CLASS_INTERFACE,
    6,
    0,
    1, /* union of both interfaces */
    7,
    ENDPOINT,
    USB_IN | USB_NOTIFICATION_ENDPOINT,
    INTERRUPT,
    WORD(NOTIFICATION_SIZE),
    POLLED_EACH_MS,
    /* The data interface. */
    9,
    INTERFACE,
    1,
    0,
    2,
    10,
    0,
    0,
    0,
    7,
    ENDPOINT,
    USB_DATA_ENDPOINT,
    BULK,
    WORD(64),
    0,
    7,
    ENDPOINT,
    USB_IN | USB_DATA_ENDPOINT,
    BULK,
    WORD(64),
    0,
};
_Static_assert(sizeof configuration == CONFIGURATION_SIZE, "as it says of itself");

/* ---- Strings ------------------------------------------------------------------------------- */

#define ID_DIGITS 16
#define STRING_MAX 30

static const char name[] = "Haptic Bridge";
_Static_assert(sizeof name <= STRING_MAX, "the buffer holds it");

/* The board's id, as `bridge list` prints it too. */
static void write_id(char *digits) {
    uint64_t id = flash_id();
    for (uint8_t left = ID_DIGITS; left; left--) {
        uint8_t digit = (uint8_t)(id & 0xf);
        digits[left - 1] = (char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
        id >>= 4;
    }
}

/* A string travels in UTF-16. */
static struct usb_descriptor make_string(uint8_t index) {
    static uint8_t bytes[2 + 2 * STRING_MAX];
    char digits[ID_DIGITS + 1] = {0};
    const char *text = name;
    if (index > SERIAL) {
        return (struct usb_descriptor){0, 0};
    }
    if (index == SERIAL) {
        write_id(digits);
        text = digits;
    }
    uint8_t size = 2;
    if (index == LANGUAGES) {
        bytes[size++] = ENGLISH & 0xff;
        bytes[size++] = ENGLISH >> 8;
    } else {
        for (; *text; text++) {
            bytes[size++] = (uint8_t)*text;
            bytes[size++] = 0;
        }
    }
    bytes[0] = size;
    bytes[1] = STRING;
    return (struct usb_descriptor){bytes, size};
}

struct usb_descriptor usb_find_descriptor(uint16_t value) {
    switch (value >> 8) {
    case DEVICE:
        return (struct usb_descriptor){device, sizeof device};
    case CONFIGURATION:
        return (struct usb_descriptor){configuration, sizeof configuration};
    case STRING:
        return make_string((uint8_t)value);
    default:
        return (struct usb_descriptor){0, 0};
    }
}
