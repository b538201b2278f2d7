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

/* Raspberry Pi's id for devices with an RP2040 and a serial port that have no id of their own.
   Hosts recognize such a device by its strings. */
#define VENDOR_ID 0x2e8a
#define PRODUCT_ID 0x000a

#define ENGLISH 0x0409
#define BULK 2
#define INTERRUPT 3
#define NOTIFICATION_SIZE 8
#define POLLED_EACH_MS 16

/* The maximum current of the board and the actuators, in units of 2 mA. */
#define CURRENT (500 / 2)

static const uint8_t device[] = {
    18,
    DEVICE,
    WORD(0x0200), /* USB 2.0 */
    0xef,         /* class, subclass and protocol of a device with interface associations */
    2,
    1,
    USB_CONTROL_PACKET_SIZE,
    WORD(VENDOR_ID),
    WORD(PRODUCT_ID),
    WORD(BRIDGE_FIRMWARE_VERSION),
    MANUFACTURER,
    PRODUCT,
    SERIAL,
    1, /* one configuration */
};

/* Macros that expand to the bytes of a descriptor with the given fields (USB 2.0 9.6, IAD ECN, CDC
   1.2 5.2.3). */
#define CONFIGURATION_IS(size, interfaces, current)                                                \
    9, CONFIGURATION, WORD(size), (interfaces), 1, 0, 0x80, (current)
#define ASSOCIATION_IS(first, count, class, subclass, protocol)                                    \
    8, INTERFACE_ASSOCIATION, (first), (count), (class), (subclass), (protocol), 0
#define INTERFACE_IS(number, endpoints, class, subclass, protocol)                                 \
    9, INTERFACE, (number), 0, (endpoints), (class), (subclass), (protocol), 0
#define CLASS_IS(size, ...) (size), CLASS_INTERFACE, __VA_ARGS__
#define ENDPOINT_IS(address, type, size, polled_each_ms)                                           \
    7, ENDPOINT, (address), (type), WORD(size), (polled_each_ms)

#define CONFIGURATION_SIZE 75

/* The control interface is an abstract control model without AT commands. */
static const uint8_t configuration[] = {
    CONFIGURATION_IS(CONFIGURATION_SIZE, 2, CURRENT),
    ASSOCIATION_IS(USB_CONTROL_INTERFACE, 2, 2, 2, 0),
    INTERFACE_IS(USB_CONTROL_INTERFACE, 1, 2, 2, 0),
    CLASS_IS(5, 0, WORD(0x0120)),          /* header: CDC 1.2 */
    CLASS_IS(5, 1, 0, USB_DATA_INTERFACE), /* calls are not managed */
    CLASS_IS(4, 2, 2),                     /* line coding and control line state */
    CLASS_IS(5, 6, USB_CONTROL_INTERFACE, USB_DATA_INTERFACE), /* union */
    ENDPOINT_IS(USB_IN | USB_NOTIFICATION_ENDPOINT, INTERRUPT, NOTIFICATION_SIZE, POLLED_EACH_MS),
    INTERFACE_IS(USB_DATA_INTERFACE, 2, 10, 0, 0),
    ENDPOINT_IS(USB_DATA_ENDPOINT, BULK, 64, 0),
    ENDPOINT_IS(USB_IN | USB_DATA_ENDPOINT, BULK, 64, 0),
};
_Static_assert(sizeof configuration == CONFIGURATION_SIZE,
               "the descriptor must have the size that it states");

/* ---- Strings ------------------------------------------------------------------------------- */

#define ID_DIGITS 16
#define STRING_MAX 30

static const char name[] = "Haptic Bridge";
_Static_assert(sizeof name <= STRING_MAX, "the buffer must hold the name");

/* Writes the serial number: the board's id, in the format of `bridge list`. */
static void write_id(char *digits) {
    uint64_t id = flash_id();
    for (uint8_t left = ID_DIGITS; left; left--) {
        uint8_t digit = (uint8_t)(id & 0xf);
        digits[left - 1] = (char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
        id >>= 4;
    }
}

/* Converts a string to UTF-16. */
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
