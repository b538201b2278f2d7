// The computer at the other end of the serial cable.
#ifndef HOST_H
#define HOST_H

#include "serial_wire.h"
#include "trace.h"

struct host {
    struct schedule *schedule;
    const struct trace *trace;
    struct serial_wire to_board;   // the wire to the USART
    struct serial_wire from_board; // the wire from the USART
    uint64_t bit_fine;             // the duration of a bit at the host's rate
    struct event arrival;          // the arrival of the last received byte
    uint8_t arriving;
    // A callback for each received byte, which is called at the end of the byte's stop bit. May be
    // NULL.
    void (*take)(void *owner, uint8_t byte);
    void *owner;
};

// Initializes a host at 250,000 baud. `usart` is the receiver on the board.
void host_init(struct host *host, struct schedule *schedule, const struct trace *trace,
               const struct serial_receiver *usart);

// Sets the rate for the bytes that the host sends, and for the frames that it begins to receive,
// from now on.
void host_set_rate(struct host *host, uint32_t baud);

// Sends a byte at `when` or, if the line is busy, when the line becomes free.
void host_send(struct host *host, uint64_t when, uint8_t byte);

#endif
