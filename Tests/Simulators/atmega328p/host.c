#include "host.h"

#include "atmega328p.h"

#include <inttypes.h>

#define DEFAULT_BAUD 250000u

// The maximum difference between two rates, in 1/1000, at which a frame is received correctly. With
// this difference, the last sample, which is taken 9.5 bits after the start of the frame, is still
// within the stop bit.
#define TOLERANCE_PERMILLE 45u

static uint64_t bit_fine(void *owner) {
    const struct host *host = owner;
    return host->bit_fine;
}

static void begin(void *owner, uint64_t when) {
    (void)owner;
    (void)when;
}

static bool agrees(const struct host *host, const struct serial_frame *frame) {
    uint64_t fast = host->bit_fine < frame->bit_fine ? host->bit_fine : frame->bit_fine;
    uint64_t slow = host->bit_fine < frame->bit_fine ? frame->bit_fine : host->bit_fine;
    return (slow - fast) * 1000 <= fast * TOLERANCE_PERMILLE;
}

// Schedules the report of a byte for the time at which the board has sent the byte or, if the host
// decodes wrong frames, for the end of the decoded frame.
static void receive(void *owner, uint64_t when, uint8_t byte, bool has_stop_bit,
                    const struct serial_frame *frame) {
    (void)has_stop_bit; // the terminal passes the byte on regardless of the stop bit
    struct host *host = owner;
    uint64_t half_bit = host->bit_fine / 2 / FINE_PER_CYCLE;
    uint64_t end = agrees(host, frame) ? serial_frame_end(frame) : when + half_bit;
    host->arriving = byte;
    schedule_at(host->schedule, &host->arrival, end > when ? end : when);
}

static void on_arrival(void *owner, uint64_t when) {
    const struct host *host = owner;
    trace_line(host->trace, "tx %" PRIu64 " %02X", when, host->arriving);
    if (host->take != NULL) {
        host->take(host->owner, host->arriving);
    }
}

void host_init(struct host *host, struct schedule *schedule, const struct trace *trace,
               const struct serial_receiver *usart) {
    *host = (struct host){.schedule = schedule, .trace = trace};
    host_set_rate(host, DEFAULT_BAUD);
    serial_wire_init(&host->to_board, schedule, usart);
    serial_wire_init(&host->from_board, schedule,
                     &(struct serial_receiver){
                         .bit_fine = bit_fine, .begin = begin, .receive = receive, .owner = host});
    serial_wire_listen(&host->from_board, 0, true);
    schedule_add(schedule, &host->arrival, on_arrival, host);
}

void host_set_rate(struct host *host, uint32_t baud) {
    host->bit_fine = (uint64_t)CLOCK_HZ * FINE_PER_CYCLE / baud;
}

void host_send(struct host *host, uint64_t when, uint8_t byte) {
    serial_wire_send(&host->to_board, when, host->bit_fine, byte);
}
