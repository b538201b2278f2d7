// Additional requests to the control endpoint after the set-up of a device. Only one request can be
// in progress at a time.
#ifndef USB_REQUEST_H
#define USB_REQUEST_H

#include "usb_session.h"

#define REQUEST_DATA_MAX 1024u

struct usb_request {
    struct usb_host *host;
    const struct usb_serial_function *function; // the CDC-ACM function of the device
    struct usb_transfer transfer;
    uint8_t data[REQUEST_DATA_MAX];
};

void usb_request_init(struct usb_request *request, struct usb_host *host,
                      const struct usb_serial_function *function);

// Sends a request with its data, or a request for data. The result is traced. Returns false if
// another request is in progress, or if there is too much data.
bool usb_request_send(struct usb_request *request, const uint8_t setup[SETUP_PACKET_SIZE],
                      const uint8_t *data, size_t size);

// Cancels the request in progress.
void usb_request_cancel(struct usb_request *request);

// Resets the data toggles of the pipes that a successful request affects (USB 2.0 9.1.1.5, 9.4.5).
void usb_request_restart_pipes(struct usb_host *host, const struct usb_serial_function *function,
                               const uint8_t setup[SETUP_PACKET_SIZE]);

#endif
