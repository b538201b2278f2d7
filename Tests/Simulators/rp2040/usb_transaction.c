#include "usb_transaction.h"

#include <inttypes.h>
#include <string.h>

#define CYCLES_PER_BIT 4u // 12 Mbit/s

// Sizes of packets in bits, with SYNC and EOP (8.3, 8.4).
#define TOKEN_BITS 35u
#define DATA_BITS(size) (35u + 8u * (size))
#define HANDSHAKE_BITS 19u
#define GAP_BITS 5u      // the delay before the other side answers; the maximum is 7.5 (7.1.18)
#define TIMEOUT_BITS 18u // the time to wait for an answer (7.1.19)

// The time of a transaction without data, which is the polling interval.
#define NAK_CYCLES ((TOKEN_BITS + HANDSHAKE_BITS + 2 * GAP_BITS) * CYCLES_PER_BIT)
// The duration of the longest transaction, and of the part at the end of a frame in which no
// transaction may run (11.3).
#define LONGEST_CYCLES                                                                             \
    ((TOKEN_BITS + DATA_BITS(PACKET_MAX) + HANDSHAKE_BITS + 3 * GAP_BITS + 20u) * CYCLES_PER_BIT)

#define ERRORS_MAX 3u // consecutive (EHCI 4.10.8: CERR)

// ---- The choice of the next pipe ----

static bool is_ready(const struct usb_host *host, const struct usb_pipe *pipe) {
    bool has_transfer = pipe->first != NULL && pipe->first->frame <= host->frame;
    bool is_due = pipe->kind != USB_INTERRUPT || pipe->due_frame <= host->frame;
    bool is_held = host->is_held && pipe->kind != USB_CONTROL;
    return has_transfer && is_due && !pipe->has_nak && !is_held;
}

static struct usb_pipe *next_pipe(struct usb_host *host) {
    for (size_t step = 1; step <= host->pipe_count; step++) {
        size_t index = (host->last_pipe + step) % host->pipe_count;
        if (is_ready(host, &host->pipes[index])) {
            host->last_pipe = index;
            return &host->pipes[index];
        }
    }
    return NULL;
}

static void enter(struct usb_host *host, enum usb_phase phase, uint64_t when, uint32_t bits) {
    host->phase = phase;
    schedule_at(host->schedule, &host->phase_ends, when + bits * CYCLES_PER_BIT);
}

static void begin_next(struct usb_host *host, uint64_t when) {
    if (!host->has_traffic || when + LONGEST_CYCLES > host->frame_ends) {
        return;
    }
    host->pipe = next_pipe(host);
    if (host->pipe != NULL) {
        enter(host, USB_PHASE_TOKEN, when, GAP_BITS + TOKEN_BITS);
    }
}

void usb_transaction_begin_frame(struct usb_host *host, uint64_t when) {
    for (size_t index = 0; index < host->pipe_count; index++) {
        host->pipes[index].has_nak = false;
    }
    host->last_pipe = 0;
    host->nak_at = when;
    host->has_traffic = true;
    begin_next(host, when);
}

// Polls again those pipes that the device has answered with NAK, at the time of their next token.
// The host sends such a token every NAK_CYCLES; tokens that are answered with NAK are not simulated
// one by one.
void usb_transaction_device_is_ready(struct usb_host *host) {
    bool waits = false;
    host->is_overtaken = true;
    for (size_t index = 0; index < host->pipe_count; index++) {
        struct usb_pipe *pipe = &host->pipes[index];
        if (pipe->kind != USB_INTERRUPT) {
            waits = waits || pipe->has_nak;
            pipe->has_nak = false;
        }
    }
    uint64_t now = host->machine->now;
    if (waits && host->phase == USB_PHASE_NONE) {
        uint64_t polls = now <= host->nak_at ? 0 : (now - host->nak_at) / NAK_CYCLES + 1;
        begin_next(host, host->nak_at + polls * NAK_CYCLES);
    }
}

// ---- Ends of transfers ----

void usb_transaction_end_transfer(struct usb_pipe *pipe, enum usb_status status) {
    struct usb_transfer *transfer = pipe->first;
    pipe->first = transfer->next;
    pipe->errors = 0;
    transfer->is_pending = false;
    if (transfer->complete != NULL) {
        transfer->complete(transfer->owner, transfer, status);
    }
}

static const char *pipe_name(const struct usb_pipe *pipe) { return pipe->is_in ? "IN" : "OUT"; }

// Counts a missing or invalid answer. Three consecutive errors end the transfer.
static void count_error(struct usb_host *host) {
    struct usb_pipe *pipe = host->pipe;
    pipe->errors++;
    if (pipe->errors < ERRORS_MAX) {
        return;
    }
    if (pipe->kind != USB_CONTROL && host->damage == USB_DAMAGE_NONE) {
        machine_crash(host->machine, "USB: address %u EP%u does not answer", host->address,
                      pipe->number);
    }
    usb_transaction_end_transfer(pipe, USB_FAILED);
}

// ---- Stages ----

static bool reads(const struct usb_transfer *transfer) { return (transfer->setup[0] & 0x80) != 0; }

static bool is_in(const struct usb_pipe *pipe) {
    const struct usb_transfer *transfer = pipe->first;
    if (pipe->kind != USB_CONTROL) {
        return pipe->is_in;
    }
    bool data_is_in = reads(transfer);
    return transfer->stage == USB_STAGE_DATA ? data_is_in : !data_is_in || transfer->length == 0;
}

static size_t packet_size(const struct usb_pipe *pipe) {
    const struct usb_transfer *transfer = pipe->first;
    if (transfer->stage == USB_STAGE_STATUS) {
        return 0;
    }
    size_t left = transfer->length - transfer->done;
    return left < pipe->packet_max ? left : pipe->packet_max;
}

// Sets up the status stage, which is a packet without data, with DATA1, in the opposite direction.
static void end_data_stage(struct usb_pipe *pipe) {
    if (pipe->kind != USB_CONTROL) {
        usb_transaction_end_transfer(pipe, USB_DONE);
        return;
    }
    pipe->first->stage = USB_STAGE_STATUS;
    pipe->is_data1 = true;
}

// Handles a transferred packet. A short packet is the last packet of a transfer.
static void advance(struct usb_pipe *pipe, size_t size) {
    struct usb_transfer *transfer = pipe->first;
    pipe->errors = 0;
    pipe->repeats = false;
    pipe->is_data1 = !pipe->is_data1;
    switch (transfer->stage) {
    case USB_STAGE_SETUP:
        pipe->is_data1 = true;
        transfer->stage = transfer->length == 0 ? USB_STAGE_STATUS : USB_STAGE_DATA;
        break;
    case USB_STAGE_DATA:
        transfer->done += size;
        if (size < pipe->packet_max ||
            (transfer->done == transfer->length && !transfer->ends_short)) {
            end_data_stage(pipe);
        }
        break;
    case USB_STAGE_STATUS:
        usb_transaction_end_transfer(pipe, USB_DONE);
        break;
    }
}

// ---- Transactions ----

static bool is_setup(const struct usb_pipe *pipe) {
    return pipe->kind == USB_CONTROL && pipe->first->stage == USB_STAGE_SETUP;
}

static void choose_damage(struct usb_host *host) {
    host->damage = USB_DAMAGE_NONE;
    if (host->damages != 0) {
        host->damages--;
        host->damage = host->next_kind;
        host->next_kind =
            host->next_kind == USB_DAMAGE_TOKEN ? USB_DAMAGE_DATA : host->next_kind + 1;
    }
}

static void fill_data(struct usb_host *host) {
    const struct usb_pipe *pipe = host->pipe;
    const struct usb_transfer *transfer = pipe->first;
    bool has_setup = is_setup(pipe);
    host->data.size = (uint16_t)(has_setup ? SETUP_PACKET_SIZE : packet_size(pipe));
    host->data.is_data1 = !has_setup && pipe->is_data1;
    if (has_setup) {
        memcpy(host->data.bytes, transfer->setup, SETUP_PACKET_SIZE);
    } else if (host->data.size != 0) {
        memcpy(host->data.bytes, &transfer->data[transfer->done], host->data.size);
    }
}

// Handles the end of a token, at which the device decides on its answer. The device sends its
// answer to an OUT token after the data.
static void end_token(struct usb_host *host, uint64_t when) {
    struct usb_pipe *pipe = host->pipe;
    bool in = !is_setup(pipe) && is_in(pipe);
    host->is_overtaken = false;
    if (!usb_controller_has_address(host->device, host->address)) {
        host->answer = USB_NO_ANSWER;
    } else if (in) {
        host->answer = usb_controller_in(host->device, pipe->number, &host->data);
    } else {
        host->answer = is_setup(pipe) ? USB_ACK : usb_controller_out(host->device, pipe->number);
        fill_data(host);
    }
    host->damage = USB_DAMAGE_NONE;
    if (host->answer == USB_ACK) {
        choose_damage(host);
    }
    if (host->damage == USB_DAMAGE_TOKEN) {
        usb_controller_abandon(host->device);
        host->answer = USB_NO_ANSWER;
    }
    uint32_t bits = GAP_BITS + HANDSHAKE_BITS;
    if (!in || host->answer == USB_ACK) {
        bits += GAP_BITS + DATA_BITS(host->data.size);
    }
    enter(host, USB_PHASE_REST, when, host->answer == USB_NO_ANSWER ? TIMEOUT_BITS : bits);
}

static void take_in(struct usb_host *host) {
    struct usb_pipe *pipe = host->pipe;
    struct usb_transfer *transfer = pipe->first;
    const struct usb_data *data = &host->data;
    if (data->is_data1 != pipe->is_data1) {
        if (!pipe->repeats) {
            machine_crash(host->machine, "USB: EP%u IN sends DATA%d where DATA%d is expected",
                          pipe->number, data->is_data1, pipe->is_data1);
        }
        pipe->repeats = false;
        return;
    }
    if (data->size > packet_size(pipe)) {
        machine_crash(host->machine, "USB: EP%u IN sends %u bytes where at most %u are expected",
                      pipe->number, data->size, (unsigned)packet_size(pipe));
    }
    if (data->size != 0) {
        memcpy(&transfer->data[transfer->done], data->bytes, data->size);
    }
    advance(pipe, data->size);
}

static void end_in(struct usb_host *host) {
    if (host->damage == USB_DAMAGE_DATA) {
        usb_controller_in_ends(host->device, host->pipe->number, false);
        count_error(host);
        return;
    }
    bool is_heard = host->damage != USB_DAMAGE_HANDSHAKE;
    usb_controller_in_ends(host->device, host->pipe->number, is_heard);
    struct usb_pipe *pipe = host->pipe;
    take_in(host);
    pipe->repeats = !is_heard;
}

static void give_setup(struct usb_host *host) {
    if (host->damage == USB_DAMAGE_DATA) {
        usb_controller_crc_error(host->device);
        count_error(host);
        return;
    }
    usb_controller_setup(host->device, host->data.bytes);
    if (host->damage == USB_DAMAGE_HANDSHAKE) {
        count_error(host);
    } else {
        advance(host->pipe, 0);
    }
}

static void end_out(struct usb_host *host) {
    struct usb_pipe *pipe = host->pipe;
    if (host->damage == USB_DAMAGE_DATA) {
        usb_controller_crc_error(host->device);
        count_error(host);
        return;
    }
    enum usb_out result = usb_controller_out_ends(host->device, pipe->number, &host->data);
    if (result == USB_OUT_AGAIN && !pipe->repeats) {
        machine_crash(host->machine, "USB: EP%u OUT: the buffer expects DATA%d, received DATA%d",
                      pipe->number, !host->data.is_data1, host->data.is_data1);
    }
    if (result == USB_OUT_TAKEN && pipe->kind == USB_BULK) {
        trace_line(host->machine->trace, "usb %" PRIu64 " out %u", host->when, host->data.size);
    }
    if (host->damage == USB_DAMAGE_HANDSHAKE) {
        pipe->repeats = true;
        count_error(host);
    } else {
        advance(pipe, host->data.size);
    }
}

static void end_nak(struct usb_host *host, uint64_t when) {
    struct usb_pipe *pipe = host->pipe;
    pipe->errors = 0;
    if (pipe->kind == USB_INTERRUPT) {
        pipe->due_frame = host->frame + pipe->interval;
    } else {
        pipe->has_nak = !host->is_overtaken;
        host->nak_at = when;
    }
}

static void end_stall(struct usb_host *host) {
    struct usb_pipe *pipe = host->pipe;
    if (pipe->kind != USB_CONTROL) {
        machine_crash(host->machine, "USB: EP%u %s stalls", pipe->number, pipe_name(pipe));
    }
    usb_transaction_end_transfer(pipe, USB_STALLED);
}

static void end_rest(struct usb_host *host, uint64_t when) {
    struct usb_pipe *pipe = host->pipe;
    switch (host->answer) {
    case USB_NO_ANSWER:
        count_error(host);
        break;
    case USB_NAK:
        end_nak(host, when);
        break;
    case USB_STALL:
        end_stall(host);
        break;
    case USB_ACK:
        if (is_setup(pipe)) {
            give_setup(host);
        } else if (is_in(pipe)) {
            end_in(host);
        } else {
            end_out(host);
        }
        break;
    }
}

void usb_transaction_phase_ends(void *owner, uint64_t when) {
    struct usb_host *host = owner;
    host->when = when;
    if (host->phase == USB_PHASE_TOKEN) {
        end_token(host, when);
        return;
    }
    host->phase = USB_PHASE_NONE;
    end_rest(host, when);
    begin_next(host, when);
}

// Ends an IN transaction without an ACK for the device's data.
void usb_transaction_abandon(struct usb_host *host) {
    bool is_in_data = host->phase == USB_PHASE_REST && host->answer == USB_ACK &&
                      !is_setup(host->pipe) && is_in(host->pipe);
    if (is_in_data && host->device->is_attached) {
        usb_controller_in_ends(host->device, host->pipe->number, false);
    }
    usb_controller_abandon(host->device);
    host->phase = USB_PHASE_NONE;
    schedule_cancel(host->schedule, &host->phase_ends);
}
