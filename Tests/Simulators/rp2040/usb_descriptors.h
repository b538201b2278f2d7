// The checks of a device's descriptors against USB 2.0 chapter 9 and CDC 1.2 with PSTN 1.2 (ACM).
#ifndef USB_DESCRIPTORS_H
#define USB_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DESCRIPTOR_DEVICE 1u
#define DESCRIPTOR_CONFIGURATION 2u
#define DESCRIPTOR_STRING 3u
#define DESCRIPTOR_INTERFACE 4u
#define DEVICE_DESCRIPTOR_SIZE 18u
#define CONFIGURATION_HEAD_SIZE 9u
#define STRINGS_MAX 8u

struct usb_endpoint {
    uint8_t number;
    uint16_t packet_max;
    uint8_t interval;
};

// The parts of a configuration that a CDC-ACM driver uses.
struct usb_serial_function {
    uint8_t configuration;
    uint8_t control_interface;
    struct usb_endpoint notifications;
    struct usb_endpoint from_device;
    struct usb_endpoint to_device;
    uint8_t strings[STRINGS_MAX]; // the string indices in the configuration
    size_t string_count;
};

// These functions return NULL, or a description of the expected contents.
const char *usb_check_device(const uint8_t *bytes, size_t size);
const char *usb_check_configuration_head(const uint8_t *bytes, size_t size);
const char *usb_check_string(const uint8_t *bytes, size_t size);
const char *usb_find_serial_function(const uint8_t *bytes, size_t size,
                                     struct usb_serial_function *function);

#endif
