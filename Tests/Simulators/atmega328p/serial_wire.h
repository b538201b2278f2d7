// One direction of a serial line. The sender sets the levels of the wire. The receiver decodes
// frames from these levels by sampling the middle of each bit at its own rate.
//
// Names that contain `fine` are moments and bit times in units of 1/65536 of a clock cycle.
#ifndef SERIAL_WIRE_H
#define SERIAL_WIRE_H

#include "schedule.h"

#include <stdbool.h>

#define FINE_PER_CYCLE 65536u
#define FRAME_BITS 10u // a start bit, 8 data bits, a stop bit

// A frame on the wire.
struct serial_frame {
    uint64_t start_fine;
    uint64_t bit_fine;
    uint16_t levels; // the levels of the bits of the frame; the level of the first bit is in bit 0
};

// The callbacks of the receiver.
struct serial_receiver {
    // Returns the bit time for a frame that begins now.
    uint64_t (*bit_fine)(void *owner);
    // A function that is called when a start bit is detected.
    void (*begin)(void *owner, uint64_t when);
    // A function that is called when the stop bit has been sampled, even if the stop bit is
    // invalid. `frame` is the frame that contains the start bit.
    void (*receive)(void *owner, uint64_t when, uint8_t byte, bool has_stop_bit,
                    const struct serial_frame *frame);
    void *owner;
};

struct serial_wire {
    struct schedule *schedule;
    struct serial_receiver receiver;
    struct serial_frame *frames; // the ring buffer of the frames whose transmission has not ended
    size_t capacity;             // a power of two
    size_t first;
    size_t count;
    uint64_t free_fine; // the time from which the sender can send again
    bool listening;
    struct event sampling;
    uint64_t sample_fine; // the exact moment of the event `sampling`
    uint8_t sample; // the number of the bit to sample, from 1; 0 while waiting for a falling edge
    uint16_t sampled;
    uint64_t sample_bit_fine;
    struct serial_frame seen; // the frame that contains the start bit
};

void serial_wire_init(struct serial_wire *wire, struct schedule *schedule,
                      const struct serial_receiver *receiver);

// Sends a byte at `when` or, if the wire is busy, as soon as the wire is free. Returns the time at
// which the stop bit of the byte ends.
uint64_t serial_wire_send(struct serial_wire *wire, uint64_t when, uint64_t bit_fine, uint8_t byte);

// Causes the sender to release the line, possibly in the middle of a byte, and to send no further
// bytes.
void serial_wire_cut(struct serial_wire *wire, uint64_t when);

// Switches the receiver on or off. A receiver that is switched on within a byte treats the next
// falling edge as a start bit.
void serial_wire_listen(struct serial_wire *wire, uint64_t when, bool on);

// Returns the number of sent frames that are still stored for the receiver. The last frame stays
// stored until another frame follows.
size_t serial_wire_backlog(const struct serial_wire *wire);

// Returns true if a frame is being transmitted at `when`.
bool serial_wire_is_busy(const struct serial_wire *wire, uint64_t when);

// Returns the time at which the stop bit of a frame ends.
uint64_t serial_frame_end(const struct serial_frame *frame);

#endif
