/*
 * The USB controller as a device (4.1): enumeration, and two bulk endpoints whose packets are
 * line.c's. All of it happens in interrupts of one priority.
 */
#ifndef USB_H
#define USB_H

#include <stdbool.h>
#include <stdint.h>

#define USB_PACKET_SIZE 64

/** The packets of the line, in the controller's memory. Each is the controller's own while its
    endpoint is armed. */
#define USB_PACKET_FROM_HOST ((uint8_t *)0x50100180)
#define USB_PACKET_TO_HOST ((uint8_t *)0x501001c0)

/** Attaches the device to the bus. */
void usb_start(void);

/** Has the device interrupt, whatever may have switched that off. Called in each round. */
void usb_keep_interrupts(void);

/** Has the interrupt call line_service, soon. Called by the loop. */
void usb_request_service(void);

/** True if the endpoint towards the host is open and has sent its packet. If not, line_service is
    called again when that may have changed. Called by the interrupt, as the functions below. */
bool usb_can_send(void);

/** Sends the packet to the host; line_end_packet tells that it has left. */
void usb_send_packet(uint8_t size);

/** Arms the endpoint from the host, if it is not. */
void usb_accept_packet(void);

#endif
