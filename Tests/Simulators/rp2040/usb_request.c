#include "usb_request.h"

#include <inttypes.h>
#include <string.h>

// Values of bmRequestType and bRequest.
#define CLEAR_FEATURE_OF_ENDPOINT 0x0201u
#define SET_CONFIGURATION 0x0009u
#define SET_INTERFACE 0x010Bu

#define ENDPOINT_IN 0x80u
#define TO_HOST 0x80u

// ---- Pipes ----

static void restart(struct usb_host *host, unsigned number, bool is_in) {
    struct usb_pipe *pipe = usb_host_find_pipe(host, number, is_in);
    if (pipe != NULL && number != 0) {
        pipe->is_data1 = false;
        pipe->repeats = false;
    }
}

static void restart_interface(struct usb_host *host, const struct usb_serial_function *function,
                              unsigned interface) {
    if (interface == function->control_interface) {
        restart(host, function->notifications.number, true);
    } else {
        restart(host, function->from_device.number, true);
        restart(host, function->to_device.number, false);
    }
}

void usb_request_restart_pipes(struct usb_host *host, const struct usb_serial_function *function,
                               const uint8_t setup[SETUP_PACKET_SIZE]) {
    unsigned index = setup[4];
    switch (setup[0] << 8 | setup[1]) {
    case CLEAR_FEATURE_OF_ENDPOINT:
        restart(host, index & ~ENDPOINT_IN, (index & ENDPOINT_IN) != 0);
        break;
    case SET_INTERFACE:
        restart_interface(host, function, index);
        break;
    case SET_CONFIGURATION:
        restart(host, function->notifications.number, true);
        restart(host, function->from_device.number, true);
        restart(host, function->to_device.number, false);
        break;
    default:
        break;
    }
}

// ---- Requests ----

static void on_complete(void *owner, struct usb_transfer *transfer, enum usb_status status) {
    static const char *const names[] = {[USB_DONE] = "done",
                                        [USB_STALLED] = "stalled",
                                        [USB_FAILED] = "failed",
                                        [USB_GONE] = "gone"};
    struct usb_request *request = owner;
    char hex[2 * REQUEST_DATA_MAX + 1] = "-";
    bool has_read = status == USB_DONE && (transfer->setup[0] & TO_HOST) != 0;
    for (size_t index = 0; has_read && index < transfer->done; index++) {
        snprintf(&hex[2 * index], 3, "%02X", transfer->data[index]);
    }
    if (status == USB_DONE) {
        usb_request_restart_pipes(request->host, request->function, transfer->setup);
    }
    trace_line(request->host->machine->trace, "usb %" PRIu64 " request %s %s", request->host->when,
               names[status], hex);
}

bool usb_request_send(struct usb_request *request, const uint8_t setup[SETUP_PACKET_SIZE],
                      const uint8_t *data, size_t size) {
    struct usb_transfer *transfer = &request->transfer;
    bool reads = (setup[0] & TO_HOST) != 0;
    size_t length = setup[6] | (size_t)setup[7] << 8;
    if (transfer->is_pending || length > REQUEST_DATA_MAX || size != (reads ? 0 : length)) {
        return false;
    }
    memcpy(transfer->setup, setup, SETUP_PACKET_SIZE);
    memcpy(request->data, data, size);
    transfer->length = length;
    usb_host_submit(request->host, &request->host->pipes[0], transfer, false);
    return true;
}

void usb_request_cancel(struct usb_request *request) {
    if (request->transfer.is_pending) {
        usb_host_cancel(request->host, &request->host->pipes[0], &request->transfer);
    }
}

void usb_request_init(struct usb_request *request, struct usb_host *host,
                      const struct usb_serial_function *function) {
    *request = (struct usb_request){.host = host, .function = function};
    request->transfer.data = request->data;
    request->transfer.complete = on_complete;
    request->transfer.owner = request;
}
