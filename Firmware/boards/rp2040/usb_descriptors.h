/* The descriptors of the device: a USB serial port (CDC 1.2, PSTN 1.2). */
#ifndef USB_DESCRIPTORS_H
#define USB_DESCRIPTORS_H

#include <stdint.h>

#define USB_CONTROL_INTERFACE 0
#define USB_DATA_INTERFACE 1
#define USB_IN 0x80u /* the flag in the address of an endpoint that sends to the host */
#define USB_NOTIFICATION_ENDPOINT 1u
#define USB_DATA_ENDPOINT 2u
#define USB_CONTROL_PACKET_SIZE 64

/** A descriptor: its bytes and their number. */
struct usb_descriptor {
    const uint8_t *bytes;
    uint16_t size;
};

/** Finds the descriptor that the wValue of GET_DESCRIPTOR selects: type << 8 | index. If the device
    has no such descriptor, the returned size is 0. The descriptor is valid until the next call. */
struct usb_descriptor usb_find_descriptor(uint16_t value);

#endif
