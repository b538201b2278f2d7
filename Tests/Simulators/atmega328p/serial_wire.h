// One direction of a serial line: the levels that the sender puts on the wire, and the frames that
// the receiver decodes by sampling the middle of each bit, at a rate of its own.
//
// Moments and bit times are in 1/65536 of a clock cycle where the name says `fine`.
#ifndef SERIAL_WIRE_H
#define SERIAL_WIRE_H

#include "schedule.h"

#include <stdbool.h>

#define FINE_PER_CYCLE 65536u
#define FRAME_BITS 10u // start bit, 8 data bits, stop bit

// A frame of the sender.
struct serial_frame {
    uint64_t start_fine;
    uint64_t bit_fine;
    uint16_t levels; // of each bit, the first in bit 0
};

// The callbacks of the receiver.
struct serial_receiver {
    // The length of its bits for a frame that begins now.
    uint64_t (*bit_fine)(void *owner);
    // A start bit was seen.
    void (*begin)(void *owner, uint64_t when);
    // The stop bit was sampled; it may be invalid. The start bit was in `frame`.
    void (*receive)(void *owner, uint64_t when, uint8_t byte, bool has_stop_bit,
                    const struct serial_frame *frame);
    void *owner;
};

struct serial_wire {
    struct schedule *schedule;
    struct serial_receiver receiver;
    struct serial_frame *frames; // that have not passed, a ring
    size_t capacity;             // a power of two
    size_t first;
    size_t count;
    uint64_t free_fine; // when the sender may send again
    bool listening;
    struct event sampling;
    uint64_t sample_fine; // the moment that `sampling` stands for
    uint8_t sample;       // 0: waits for a falling edge; else the bit to sample, from 1
    uint16_t sampled;
    uint64_t sample_bit_fine;
    struct serial_frame seen; // where the start bit was
};

void serial_wire_init(struct serial_wire *wire, struct schedule *schedule,
                      const struct serial_receiver *receiver);

// The sender sends a byte at `when` or as soon as the wire is free. Returns the time at which its
// stop bit ends.
uint64_t serial_wire_send(struct serial_wire *wire, uint64_t when, uint64_t bit_fine, uint8_t byte);

// Makes the sender release the line, possibly in the middle of a byte, and send no further bytes.
void serial_wire_cut(struct serial_wire *wire, uint64_t when);

// The receiver is switched on or off. If it is switched on within a byte, it treats the next
// falling edge as a start bit.
void serial_wire_listen(struct serial_wire *wire, uint64_t when, bool on);

// The number of frames that were sent and are still stored for the receiver. The last one stays
// until another follows.
size_t serial_wire_backlog(const struct serial_wire *wire);

// True if a frame is in transmission at `when`.
bool serial_wire_is_busy(const struct serial_wire *wire, uint64_t when);

// The time at which the stop bit of a frame ends.
uint64_t serial_frame_end(const struct serial_frame *frame);

#endif
