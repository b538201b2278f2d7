/* The line to the host: bytes in packets of a USB serial port. They stay in the controller's
   memory: the loop reads and writes them there, and interrupts only hand them over. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Notes that a packet from the host has come; the endpoint is not armed until it has been read.
    Called by the interrupt of the USB, as the functions below. */
void line_receive_packet(uint8_t size, uint32_t stamp_us);

/** Notes that the packet to the host has left, or that the endpoint has forgotten it. */
void line_end_packet(bool has_left);

/** Arms the endpoints for what waits. */
void line_service(void);

/** Notes whether the host has opened the port, and listens. What is to be sent is dropped while it
    does not. */
void line_set_open(bool is_open);

#endif
