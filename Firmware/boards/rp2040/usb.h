/*
 * The USB controller as a device (4.1): enumeration, and two bulk endpoints whose packets are
 * line.c's. All of it happens in interrupts of one priority.
 */
#ifndef USB_H
#define USB_H

#include <stdbool.h>
#include <stdint.h>

#define USB_PACKET_SIZE 64

/** Attaches the device to the bus. */
void usb_start(void);

/** Has the interrupt look at the line's packets, soon. Called by the loop. */
void usb_request_service(void);

/** True if the endpoint towards the host is open and has sent its packet. If not, line_service asks
    again when that may have changed. Called by the interrupt, as the functions below. */
bool usb_can_send(void);

/** Sends a packet to the host. */
void usb_send_packet(const uint32_t *words, uint8_t size);

/** Arms the endpoint from the host, if it is not. */
void usb_accept_packet(void);

#endif
