/* The serial line to the host: 250,000 baud, 8N1. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

/** Starts receiving and sending. */
void uart_start(void);

/** Sets `bytes` to the oldest received bytes. Returns the number of bytes, which is at most `most`.
 */
uint8_t uart_peek(const uint8_t **bytes, uint8_t most);

/** Takes and returns the arrival time of the oldest delimiter. This function must be called once
    for each delimiter. */
uint32_t uart_take_stamp(void);

/** Discards the oldest received bytes. */
void uart_drop(uint8_t count);

/** Returns the number of bytes that were lost since the last call because the buffer was full. */
uint8_t uart_take_lost(void);

/** True if a received byte is waiting. */
bool uart_has_received(void);

/** Starts sending if a frame is ready. */
void uart_send(void);

#endif
