// The device's end of USB/IP (Documentation/usb/usbip_protocol.rst of Linux), for the kernel's
// virtual host controller, vhci_hcd. The functions in usb_host.h carry out the transfers.
//
// The device already has its address when the kernel detects the device, and the kernel does not
// set another address.
#ifndef USBIP_H
#define USBIP_H

#include "usb_session.h"

#define USBIP_HEADER_SIZE 48u
#define USBIP_TRANSFER_MAX 65536u

// The header of a message and its data.
struct usbip_message {
    uint8_t bytes[USBIP_HEADER_SIZE + USBIP_TRANSFER_MAX];
    size_t size;
};

struct usbip_transfer;

struct usbip {
    struct usb_host *host;
    bool is_addressed;   // true if the device is connected
    bool is_for_usbtest; // true if the device is presented in a form that usbtest supports
    struct usb_serial_function function;
    struct usbip_transfer *first; // the list of the transfers in progress
    struct usbip_message message; // the message that is being received

    // A function that sends bytes of an answer.
    void (*send)(void *owner, const uint8_t *bytes, size_t size);
    // A function that is called when the device has received or lost its address.
    void (*changed)(void *owner);
    void *owner;
};

void usbip_init(struct usbip *usbip, struct usb_host *host, bool is_for_usbtest);
struct usb_driver usbip_driver(struct usbip *usbip);

// Processes bytes that the kernel has sent. Returns false if the bytes are not USB/IP messages for
// this device.
bool usbip_take(struct usbip *usbip, const uint8_t *bytes, size_t size);
// Discards the requests in progress, after the kernel has removed the device.
void usbip_forget(struct usbip *usbip);

#endif
