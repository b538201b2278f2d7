/* The serial line to the host: 250,000 baud, 8N1. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Starts receiving and sending. */
void line_start(void);

/** The oldest bytes that have arrived, `most` at most, and how many. */
uint8_t line_peek(const uint8_t **bytes, uint8_t most);

/** When the oldest delimiter had arrived: to be asked once for each. */
uint32_t line_take_stamp(void);

/** Forgets the oldest bytes. */
void line_drop(uint8_t count);

/** The number of bytes that have found the buffer full since the last call. */
uint8_t line_take_lost(void);

/** True if a byte waits. */
bool line_has_received(void);

/** Has the bytes sent that are ready. */
void line_send(void);

#endif
