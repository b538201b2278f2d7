/* The line to the host: bytes in packets of a USB serial port. The packets stay in the controller's
   memory: the loop reads and writes them there, and the interrupts only change their owner. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Records a packet from the host. The endpoint is not armed again until the packet has been read.
    The interrupt of the USB calls this function and the following ones. */
void line_receive_packet(uint8_t size, uint32_t stamp_us);

/** Records that the packet to the host was sent, or that the endpoint has discarded it. */
void line_end_packet(bool has_left);

/** Arms the endpoints for the waiting packets. */
void line_service(void);

/** Records whether the host has opened the port. While it has not, bytes to the host are
    discarded. */
void line_set_open(bool is_open);

#endif
