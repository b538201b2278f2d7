#include "serial_wire.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_CAPACITY 64u

#define STOP_BIT (1 << (FRAME_BITS - 1))

static uint64_t end_fine(const struct serial_frame *frame) {
    return frame->start_fine + FRAME_BITS * frame->bit_fine;
}

// Returns the first cycle at or after a moment.
static uint64_t cycle_of(uint64_t fine) { return (fine + FINE_PER_CYCLE - 1) / FINE_PER_CYCLE; }

uint64_t serial_frame_end(const struct serial_frame *frame) { return cycle_of(end_fine(frame)); }

// ---- Levels on the wire ----

static struct serial_frame *frame_at(const struct serial_wire *wire, size_t index) {
    return &wire->frames[(wire->first + index) & (wire->capacity - 1)];
}

static void grow(struct serial_wire *wire) {
    size_t capacity = wire->capacity == 0 ? FIRST_CAPACITY : 2 * wire->capacity;
    struct serial_frame *frames = malloc(capacity * sizeof *frames);
    if (frames == NULL) {
        perror("error: serial wire: cannot allocate memory");
        exit(EXIT_FAILURE);
    }
    for (size_t index = 0; index < wire->count; index++) {
        frames[index] = *frame_at(wire, index);
    }
    free(wire->frames);
    wire->frames = frames;
    wire->capacity = capacity;
    wire->first = 0;
}

static void forget_before(struct serial_wire *wire, uint64_t fine) {
    while (wire->count != 0 && end_fine(frame_at(wire, 0)) <= fine) {
        wire->first = (wire->first + 1) & (wire->capacity - 1);
        wire->count--;
    }
}

static bool is_low_in(const struct serial_frame *frame, uint64_t fine) {
    return fine >= frame->start_fine && fine < end_fine(frame) &&
           (frame->levels >> (fine - frame->start_fine) / frame->bit_fine & 1) == 0;
}

static bool level_at(const struct serial_wire *wire, uint64_t fine) {
    for (size_t index = 0; index < wire->count; index++) {
        if (is_low_in(frame_at(wire, index), fine)) {
            return false;
        }
    }
    return true;
}

// Finds the first falling edge of a frame at or after a moment. The line is high before the frame.
static bool find_edge_in(const struct serial_frame *frame, uint64_t from_fine,
                         uint64_t *edge_fine) {
    bool was_high = true;
    for (unsigned bit = 0; bit < FRAME_BITS; bit++) {
        bool is_high = (frame->levels >> bit & 1) != 0;
        *edge_fine = frame->start_fine + bit * frame->bit_fine;
        if (was_high && !is_high && *edge_fine >= from_fine) {
            return true;
        }
        was_high = is_high;
    }
    return false;
}

// ---- The receiver ----

static void wait_for_edge(struct serial_wire *wire, uint64_t from_fine) {
    forget_before(wire, from_fine);
    wire->sample = 0;
    for (size_t index = 0; index < wire->count; index++) {
        struct serial_frame *frame = frame_at(wire, index);
        if (find_edge_in(frame, from_fine, &wire->sample_fine)) {
            wire->seen = *frame;
            schedule_at(wire->schedule, &wire->sampling, cycle_of(wire->sample_fine));
            return;
        }
    }
    wire->sample_fine = from_fine;
    schedule_cancel(wire->schedule, &wire->sampling);
}

static void sample_next(struct serial_wire *wire, uint64_t fine) {
    wire->sample++;
    wire->sample_fine = fine;
    schedule_at(wire->schedule, &wire->sampling, cycle_of(fine));
}

static void see_edge(struct serial_wire *wire, uint64_t when) {
    wire->sample_bit_fine = wire->receiver.bit_fine(wire->receiver.owner);
    wire->sampled = 0;
    sample_next(wire, wire->sample_fine + wire->sample_bit_fine / 2);
    wire->receiver.begin(wire->receiver.owner, when);
}

static void on_sample(void *owner, uint64_t when) {
    struct serial_wire *wire = owner;
    if (wire->sample == 0) {
        see_edge(wire, when);
        return;
    }
    bool level = level_at(wire, wire->sample_fine);
    bool is_start = wire->sample == 1;
    if (is_start && level) { // a spike, not a start bit
        wait_for_edge(wire, wire->sample_fine);
        return;
    }
    wire->sampled = (uint16_t)(wire->sampled | (level ? 1u << (wire->sample - 1) : 0));
    if (wire->sample < FRAME_BITS) {
        sample_next(wire, wire->sample_fine + wire->sample_bit_fine);
        return;
    }
    struct serial_frame seen = wire->seen;
    wait_for_edge(wire, wire->sample_fine);
    wire->receiver.receive(wire->receiver.owner, when, (uint8_t)(wire->sampled >> 1), level, &seen);
}

void serial_wire_init(struct serial_wire *wire, struct schedule *schedule,
                      const struct serial_receiver *receiver) {
    *wire = (struct serial_wire){.schedule = schedule, .receiver = *receiver};
    schedule_add(schedule, &wire->sampling, on_sample, wire);
}

void serial_wire_listen(struct serial_wire *wire, uint64_t when, bool on) {
    if (on == wire->listening) {
        return;
    }
    wire->listening = on;
    if (on) {
        wait_for_edge(wire, when * FINE_PER_CYCLE);
    } else {
        schedule_cancel(wire->schedule, &wire->sampling);
    }
}

// ---- The sender ----

uint64_t serial_wire_send(struct serial_wire *wire, uint64_t when, uint64_t bit_fine,
                          uint8_t byte) {
    uint64_t start_fine = when * FINE_PER_CYCLE;
    if (!wire->listening) {
        forget_before(wire, start_fine);
    }
    if (wire->free_fine > start_fine) {
        start_fine = wire->free_fine;
    }
    if (wire->count == wire->capacity) {
        grow(wire);
    }
    struct serial_frame *frame = frame_at(wire, wire->count++);
    *frame = (struct serial_frame){
        .start_fine = start_fine, .bit_fine = bit_fine, .levels = (uint16_t)(STOP_BIT | byte << 1)};
    wire->free_fine = end_fine(frame);
    if (wire->listening && wire->sample == 0 && wire->sampling.due == SCHEDULE_NEVER) {
        wait_for_edge(wire, wire->sample_fine);
    }
    return serial_frame_end(frame);
}

void serial_wire_cut(struct serial_wire *wire, uint64_t when) {
    uint64_t fine = when * FINE_PER_CYCLE;
    wire->free_fine = fine;
    for (size_t index = 0; index < wire->count; index++) {
        struct serial_frame *frame = frame_at(wire, index);
        uint64_t sent_fine = fine > frame->start_fine ? fine - frame->start_fine : 0;
        uint64_t whole_bits = (sent_fine + frame->bit_fine / 2) / frame->bit_fine;
        if (whole_bits < FRAME_BITS) {
            frame->levels = (uint16_t)(frame->levels | UINT32_C(0x3FF) << whole_bits);
        }
    }
    if (wire->listening && wire->sample == 0) {
        wait_for_edge(wire, wire->sample_fine);
    }
}

size_t serial_wire_backlog(const struct serial_wire *wire) { return wire->count; }

bool serial_wire_is_busy(const struct serial_wire *wire, uint64_t when) {
    return wire->free_fine > when * FINE_PER_CYCLE;
}
