// A small CDC-ACM device for tests of the host. The device is implemented like a program on the
// chip. It answers requests, and sends back the bytes that it receives.
#ifndef USB_DEVICE_H
#define USB_DEVICE_H

#include "bench.h"

// The fault that the device simulates.
enum usb_device_fault {
    USB_DEVICE_RIGHT,
    USB_DEVICE_WRONG_LENGTH, // a configuration with a wrong length
    USB_DEVICE_SAME_DATA,    // DATA0 in each packet
    USB_DEVICE_EARLY_ADDRESS,
    USB_DEVICE_STALLS,
};

struct usb_device {
    struct bench *bench;
    enum usb_device_fault fault;
    const uint8_t *answer; // the bytes that are still to be sent on EP0
    uint32_t answer_size;
    bool is_data1;     // the data toggle of the next packet on EP0
    uint32_t in_data1; // the data toggles of the next packets on EP2
    uint32_t out_data1;
    uint32_t new_address;
    uint32_t requests; // the number of requests that were received
    uint8_t setups[64][8];
    uint8_t line_coding[7];
    uint32_t lines;    // the lines that SET_CONTROL_LINE_STATE has set
    uint32_t received; // the number of bytes that were received on EP2
    uint32_t empty;    // the number of empty packets that were received
    uint32_t suspensions;
};

// Switches on the pull-up of D+.
void usb_device_start(struct usb_device *device, struct bench *bench, enum usb_device_fault fault);
// Serves the host for the given time.
void usb_device_run(struct usb_device *device, uint64_t cycles);

extern const uint8_t usb_device_descriptor[18];
extern const uint8_t usb_device_configuration[75];

#endif
