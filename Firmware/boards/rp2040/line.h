/* The line to the host, which carries bytes in packets of a USB serial port. The packets stay in
   the controller's memory: the loop reads and writes them there, and the interrupts only change the
   owner of a packet. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Records the arrival of a packet from the host. The endpoint is not armed again until the packet
    has been read. The USB interrupt calls this function and all following functions in this file.
 */
void line_receive_packet(uint8_t size, uint32_t stamp_us);

/** Records that the endpoint has sent or discarded the packet to the host. */
void line_end_packet(bool has_left);

/** Arms the endpoints for the waiting packets. */
void line_service(void);

/** Records whether the host has opened the port. While the port is closed, bytes to the host are
    discarded. */
void line_set_open(bool is_open);

#endif
