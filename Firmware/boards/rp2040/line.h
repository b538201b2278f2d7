/* The line to the host: bytes in packets of a USB serial port. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Prepares a line that is closed. */
void line_start(void);

/** Takes a packet from the host, of up to 64 bytes in whole words of 32 bits. There is room for it,
    since the endpoint was armed. Called by the interrupt of the USB, as the functions below. */
void line_receive_packet(const volatile uint32_t *words, uint8_t size, uint32_t stamp_us);

/** Arms the endpoints for what waits. */
void line_service(void);

/** Notes whether the host has opened the port, and listens. What waits to be sent is dropped while
    it does not. */
void line_set_open(bool is_open);

#endif
