#include "usb_port.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_RATE 9600u   // the rate that acm_probe sets
#define FIRST_RATE 250000u // the rate of the terminal until a program sets a rate

#define CLASS_REQUEST 0x21u // to an interface
#define SET_LINE_CODING 0x20u
#define SET_CONTROL_LINE_STATE 0x22u
#define LINES_DTR_RTS 3u
#define LINE_DATA_BITS 8u

// ---- Requests: first the rate, then the lines ----

static void submit_request(struct usb_port *port, uint8_t request, uint8_t value, uint8_t length) {
    const uint8_t setup[SETUP_PACKET_SIZE] = {CLASS_REQUEST,           request, value,  0,
                                              port->control_interface, 0,       length, 0};
    memcpy(port->request.setup, setup, sizeof setup);
    port->request.data = port->line_coding;
    port->request.length = length;
    usb_host_submit(port->host, &port->host->pipes[0], &port->request, false);
}

static void send_line_coding(struct usb_port *port) {
    uint32_t rate = port->told_rate == 0 ? PROBE_RATE : port->rate;
    for (unsigned byte = 0; byte < 4; byte++) {
        port->line_coding[byte] = (uint8_t)(rate >> 8 * byte);
    }
    port->line_coding[4] = 0; // one stop bit
    port->line_coding[5] = 0; // no parity
    port->line_coding[6] = LINE_DATA_BITS;
    port->told_rate = rate;
    port->is_rate_new = port->is_rate_new && rate != port->rate;
    submit_request(port, SET_LINE_CODING, 0, LINE_CODING_SIZE);
}

static void send_lines(struct usb_port *port) {
    port->has_dtr = port->wants_dtr;
    submit_request(port, SET_CONTROL_LINE_STATE, port->wants_dtr ? LINES_DTR_RTS : 0, 0);
}

static void tell_device(struct usb_port *port) {
    if (!port->is_there || port->request.is_pending) {
        return;
    }
    bool wants_rate = port->is_open || port->is_rate_new;
    if (port->told_rate == 0 || (wants_rate && port->told_rate != port->rate)) {
        send_line_coding(port);
    } else if (port->has_dtr != port->wants_dtr || (port->is_open && !port->is_ready)) {
        send_lines(port);
    }
}

// ---- From the device ----

static void read_on(struct usb_port *port) {
    for (size_t index = 0; index < READS && port->is_there && port->is_open && !port->is_held;
         index++) {
        struct usb_packet_buffer *buffer = &port->read_buffers[index];
        if (!buffer->transfer.is_pending) {
            buffer->transfer.data = buffer->bytes;
            buffer->transfer.length = port->reads->packet_max;
            usb_host_submit(port->host, port->reads, &buffer->transfer, true);
        }
    }
}

static void on_read(void *owner, struct usb_transfer *transfer, enum usb_status status) {
    struct usb_port *port = owner;
    for (size_t index = 0; index < transfer->done && status == USB_DONE; index++) {
        trace_line(port->machine->trace, "tx %" PRIu64 " %02X", port->host->when,
                   transfer->data[index]);
        if (port->take != NULL) {
            port->take(port->owner, transfer->data[index]);
        }
    }
    if (status != USB_GONE) {
        read_on(port);
    }
}

static void listen(struct usb_port *port) {
    port->notification.data = port->notified;
    port->notification.length = port->notifications->packet_max;
    usb_host_submit(port->host, port->notifications, &port->notification, false);
}

static void on_notification(void *owner, struct usb_transfer *transfer, enum usb_status status) {
    (void)transfer;
    if (status != USB_GONE) {
        listen(owner);
    }
}

// ---- To the device ----

static struct usb_write_buffer *free_write_buffer(struct usb_port *port) {
    for (size_t index = 0; index < WRITES; index++) {
        if (!port->write_buffers[index].transfer.is_pending) {
            return &port->write_buffers[index];
        }
    }
    return NULL;
}

static void tell_lost(const struct usb_port *port, size_t size) {
    if (size != 0) {
        trace_line(port->machine->trace, "usb %" PRIu64 " lost %zu", port->host->when, size);
    }
}

static void drop_first_write(struct usb_port *port) {
    struct usb_write *write = port->first_write;
    port->first_write = write->next;
    free(write->bytes);
    free(write);
}

// Divides a write into transfers. If the last packet is full, an empty packet follows, as the
// drivers of some systems send it.
static void submit_write(struct usb_port *port, struct usb_write_buffer *buffer) {
    struct usb_write *write = port->first_write;
    size_t size = write->size < WRITE_MAX ? write->size : WRITE_MAX;
    memcpy(buffer->bytes, write->bytes, size);
    buffer->transfer.data = buffer->bytes;
    buffer->transfer.length = size;
    buffer->transfer.ends_short = true;
    usb_host_submit(port->host, port->writes, &buffer->transfer, false);
    write->size -= size;
    memmove(write->bytes, &write->bytes[size], write->size);
    if (write->size == 0) {
        drop_first_write(port);
    }
}

// Submits the writes that are due. The program can write while the port is open. Bytes that the
// program writes while the device is disconnected are lost.
static void write_on(struct usb_port *port, uint64_t when) {
    struct usb_write_buffer *buffer = free_write_buffer(port);
    bool is_opening = port->is_there && port->is_open && !port->is_ready;
    while (!is_opening && port->first_write != NULL && port->first_write->when <= when &&
           buffer != NULL) {
        if (port->is_there && port->is_open) {
            submit_write(port, buffer);
        } else {
            tell_lost(port, port->first_write->size);
            drop_first_write(port);
        }
        buffer = free_write_buffer(port);
    }
    bool is_to_come = port->first_write != NULL && port->first_write->when > when;
    schedule_at(port->machine->schedule, &port->write_due,
                is_to_come ? port->first_write->when : SCHEDULE_NEVER);
}

static void on_write_due(void *owner, uint64_t when) {
    struct usb_port *port = owner;
    port->host->when = when;
    write_on(port, when);
}

static void on_write(void *owner, struct usb_transfer *transfer, enum usb_status status) {
    struct usb_port *port = owner;
    if (status == USB_FAILED || status == USB_GONE) {
        tell_lost(port, transfer->length - transfer->done);
    }
    if (status != USB_GONE) {
        write_on(port, port->host->when);
    }
}

void usb_port_write(struct usb_port *port, uint64_t when, const uint8_t *bytes, size_t size) {
    struct usb_write *write = malloc(sizeof *write);
    uint8_t *copy = malloc(size);
    if (write == NULL || copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, size);
    *write = (struct usb_write){.when = when, .size = size, .bytes = copy};
    struct usb_write **place = &port->first_write;
    while (*place != NULL && (*place)->when <= when) {
        place = &(*place)->next;
    }
    write->next = *place;
    *place = write;
    port->host->when = port->machine->now;
    write_on(port, port->machine->now);
}

size_t usb_port_room(const struct usb_port *port) {
    return port->first_write == NULL ? WRITE_MAX : 0;
}

static void on_request_end(void *owner, struct usb_transfer *transfer, enum usb_status status) {
    struct usb_port *port = owner;
    if (status == USB_STALLED) {
        machine_crash(port->machine, "USB: the request 0x%02x of CDC-ACM stalls",
                      transfer->setup[1]);
    }
    if (status == USB_GONE) {
        return;
    }
    if (status == USB_DONE && transfer->setup[1] == SET_CONTROL_LINE_STATE) {
        port->is_ready = port->is_open;
        trace_line(port->machine->trace, "dtr %" PRIu64 " %s", port->host->when,
                   transfer->setup[2] != 0 ? "on" : "off");
    }
    tell_device(port);
    write_on(port, port->host->when);
}

// ---- The device ----

static struct usb_pipe *open_pipe(struct usb_port *port, enum usb_pipe_kind kind, bool is_in,
                                  const struct usb_endpoint *endpoint) {
    return usb_host_open_pipe(port->host, &(struct usb_pipe){.kind = kind,
                                                             .number = endpoint->number,
                                                             .is_in = is_in,
                                                             .packet_max = endpoint->packet_max,
                                                             .interval = endpoint->interval});
}

static void on_configured(void *owner, const struct usb_serial_function *function) {
    struct usb_port *port = owner;
    port->is_there = true;
    port->is_new = true;
    port->is_rate_new = false;
    port->rate = FIRST_RATE;
    port->told_rate = 0;
    port->has_dtr = false;
    port->is_ready = false;
    port->control_interface = function->control_interface;
    port->notifications = open_pipe(port, USB_INTERRUPT, true, &function->notifications);
    port->reads = open_pipe(port, USB_BULK, true, &function->from_device);
    port->writes = open_pipe(port, USB_BULK, false, &function->to_device);
    usb_port_open(port, port->is_open);
}

static void on_gone(void *owner) {
    struct usb_port *port = owner;
    port->is_there = false;
    write_on(port, port->host->when);
}

struct usb_driver usb_port_driver(struct usb_port *port) {
    return (struct usb_driver){.configured = on_configured, .gone = on_gone, .owner = port};
}

// ---- The program on the host ----

void usb_port_open(struct usb_port *port, bool on) {
    port->is_open = on;
    port->is_ready = port->is_ready && on;
    tell_device(port);
    if (on && port->is_there) {
        if (!port->notification.is_pending) {
            listen(port);
        }
        read_on(port);
    }
}

void usb_port_set_dtr(struct usb_port *port, bool on) {
    port->wants_dtr = on;
    tell_device(port);
}

void usb_port_set_rate(struct usb_port *port, uint32_t rate) {
    port->is_rate_new = port->is_rate_new || rate != port->rate;
    port->rate = rate;
    tell_device(port);
}

void usb_port_hold(struct usb_port *port, bool on) {
    port->is_held = on;
    read_on(port);
}

void usb_port_init(struct usb_port *port, struct usb_host *host, bool is_open) {
    *port = (struct usb_port){.host = host,
                              .machine = host->machine,
                              .is_open = is_open,
                              .wants_dtr = is_open,
                              .rate = FIRST_RATE,
                              .request = {.complete = on_request_end, .owner = port},
                              .notification = {.complete = on_notification, .owner = port}};
    for (size_t index = 0; index < READS; index++) {
        port->read_buffers[index].transfer =
            (struct usb_transfer){.complete = on_read, .owner = port};
    }
    for (size_t index = 0; index < WRITES; index++) {
        port->write_buffers[index].transfer =
            (struct usb_transfer){.complete = on_write, .owner = port};
    }
    schedule_add(host->machine->schedule, &port->write_due, on_write_due, port);
}
