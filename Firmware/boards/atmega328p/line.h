/* The serial line to the host: 250,000 baud, 8N1. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Starts receiving and sending. */
void line_start(void);

/** Takes one byte that has arrived and when it did; false if there is none. */
bool line_receive(uint8_t *byte, uint32_t *stamp_us);

/** True if a byte waits. */
bool line_has_received(void);

/** Has the bytes sent that are ready. */
void line_send(void);

#endif
