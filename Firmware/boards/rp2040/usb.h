/*
 * The USB controller in device mode (4.1): enumeration, and two bulk endpoints whose packets line.c
 * handles. All functions run in interrupts of one priority, unless stated otherwise.
 */
#ifndef USB_H
#define USB_H

#include <stdbool.h>
#include <stdint.h>

#define USB_PACKET_SIZE 64

/** The packets of the line, in the controller's memory. The controller owns a packet while its
    endpoint is armed. */
#define USB_PACKET_FROM_HOST ((uint8_t *)0x50100180)
#define USB_PACKET_TO_HOST ((uint8_t *)0x501001c0)

/** Attaches the device to the bus. */
void usb_start(void);

/** Enables the interrupts of the device again, in case a disturbance has disabled them. The loop
    calls this function in each round. */
void usb_keep_interrupts(void);

/** Requests an interrupt that calls line_service. The loop calls this function. */
void usb_request_service(void);

/** True if the endpoint to the host is open and has sent its packet. After a call that returns
    false, the interrupt calls line_service again when the result may have changed. The interrupt
   calls this function and all following functions in this file. */
bool usb_can_send(void);

/** Sends the packet to the host; line_end_packet is called when it has been sent. */
void usb_send_packet(uint8_t size);

/** Arms the endpoint from the host, if it is not armed. */
void usb_accept_packet(void);

#endif
