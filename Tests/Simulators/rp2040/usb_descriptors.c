#include "usb_descriptors.h"

#define ENDPOINT 5u
#define CS_INTERFACE 0x24u

#define CLASS_MISCELLANEOUS 0xEFu
#define CLASS_CDC 2u
#define CLASS_CDC_DATA 10u
#define SUBCLASS_ACM 2u
#define UNION 6u

#define EP_IN 0x80u
#define EP_BULK 2u
#define EP_INTERRUPT 3u
#define FULL_SPEED_PACKET_MAX 64u

const char *usb_check_device(const uint8_t *bytes, size_t size) {
    if (size != DEVICE_DESCRIPTOR_SIZE || bytes[0] != size || bytes[1] != DESCRIPTOR_DEVICE) {
        return "a device descriptor of 18 bytes";
    }
    unsigned version = bytes[2] | (unsigned)bytes[3] << 8;
    if (version != 0x0110 && version != 0x0200) {
        return "bcdUSB 1.1 or 2.0"; // 2.1 requires a BOS descriptor
    }
    // Interface associations require this device class (IAD ECN).
    bool has_associations = bytes[4] == CLASS_MISCELLANEOUS && bytes[5] == 2 && bytes[6] == 1;
    if (!has_associations && bytes[4] != CLASS_CDC) {
        return "a device class of EF/02/01 or 02";
    }
    if (bytes[7] != 64) {
        return "bMaxPacketSize0 of 64, the size of the RP2040's EP0";
    }
    return bytes[17] == 1 ? NULL : "one configuration";
}

const char *usb_check_configuration_head(const uint8_t *bytes, size_t size) {
    bool is_one = size == CONFIGURATION_HEAD_SIZE && bytes[0] == CONFIGURATION_HEAD_SIZE &&
                  bytes[1] == DESCRIPTOR_CONFIGURATION;
    return is_one && (bytes[7] & 0x80) != 0 ? NULL : "a configuration descriptor of 9 bytes";
}

const char *usb_check_string(const uint8_t *bytes, size_t size) {
    bool is_one = size >= 4 && size % 2 == 0 && bytes[0] == size && bytes[1] == DESCRIPTOR_STRING;
    return is_one ? NULL : "a string descriptor with its own length";
}

static void note_string(struct usb_serial_function *function, uint8_t index) {
    if (index != 0 && function->string_count < STRINGS_MAX) {
        function->strings[function->string_count++] = index;
    }
}

// The state of a parser for a configuration.
struct reader {
    struct usb_serial_function *function;
    uint8_t interface_class; // the class of the last interface
    unsigned interfaces;
    bool has_union;
};

static const char *take_endpoint(struct reader *reader, const uint8_t *bytes) {
    struct usb_endpoint endpoint = {.number = bytes[2] & 0x0F,
                                    .packet_max = (uint16_t)(bytes[4] | bytes[5] << 8),
                                    .interval = bytes[6]};
    bool is_in = (bytes[2] & EP_IN) != 0;
    struct usb_serial_function *function = reader->function;
    if (endpoint.number == 0 || endpoint.packet_max > FULL_SPEED_PACKET_MAX) {
        return "endpoints 1 to 15 with packets of up to 64";
    }
    if (reader->interface_class == CLASS_CDC && bytes[3] == EP_INTERRUPT && is_in) {
        function->notifications = endpoint;
        return endpoint.interval == 0 ? "an interval of at least 1 ms" : NULL;
    }
    if (reader->interface_class == CLASS_CDC_DATA && bytes[3] == EP_BULK) {
        bool is_right = endpoint.packet_max == 8 || endpoint.packet_max == 16 ||
                        endpoint.packet_max == 32 || endpoint.packet_max == 64;
        *(is_in ? &function->from_device : &function->to_device) = endpoint;
        return is_right ? NULL : "bulk endpoints with packets of 8, 16, 32 or 64 (5.8.3)";
    }
    return "an interrupt IN endpoint for control, and bulk ones for data";
}

static const char *take_interface(struct reader *reader, const uint8_t *bytes) {
    if (bytes[2] != reader->interfaces) {
        return "interfaces numbered from 0";
    }
    reader->interfaces++;
    reader->interface_class = bytes[5];
    if (bytes[5] == CLASS_CDC) {
        reader->function->control_interface = bytes[2];
        if (bytes[6] != SUBCLASS_ACM) {
            return "the subclass ACM";
        }
    }
    note_string(reader->function, bytes[8]);
    return NULL;
}

static const char *take(struct reader *reader, const uint8_t *bytes) {
    switch (bytes[1]) {
    case DESCRIPTOR_INTERFACE:
        return bytes[0] == 9 ? take_interface(reader, bytes) : "an interface descriptor of 9 bytes";
    case ENDPOINT:
        return bytes[0] == 7 ? take_endpoint(reader, bytes) : "an endpoint descriptor of 7 bytes";
    case CS_INTERFACE:
        reader->has_union = reader->has_union || bytes[2] == UNION;
        return NULL;
    default:
        return NULL;
    }
}

static const char *check_whole(const struct reader *reader, uint8_t interfaces) {
    const struct usb_serial_function *function = reader->function;
    if (reader->interfaces != interfaces) {
        return "as many interfaces as bNumInterfaces specifies";
    }
    if (function->notifications.number == 0 || function->from_device.number == 0 ||
        function->to_device.number == 0 || !reader->has_union) {
        return "a CDC-ACM function with a union and three endpoints";
    }
    return NULL;
}

const char *usb_find_serial_function(const uint8_t *bytes, size_t size,
                                     struct usb_serial_function *function) {
    *function = (struct usb_serial_function){0};
    struct reader reader = {.function = function};
    if (size < CONFIGURATION_HEAD_SIZE || (bytes[2] | (size_t)bytes[3] << 8) != size) {
        return "a configuration of wTotalLength";
    }
    function->configuration = bytes[5];
    note_string(function, bytes[6]);
    const char *expected = NULL;
    size_t at = bytes[0];
    while (at < size && expected == NULL) {
        uint8_t length = bytes[at];
        bool is_whole = length >= 3 && length <= size - at;
        expected = is_whole ? take(&reader, &bytes[at]) : "descriptors that fill the configuration";
        at += length;
    }
    return expected != NULL ? expected : check_whole(&reader, bytes[4]);
}
