#include "usbip.h"

#include <stdlib.h>
#include <string.h>

#include "usb_request.h"

enum command { SUBMIT = 1, UNLINK, SUBMIT_ANSWER, UNLINK_ANSWER };

// Offsets of fields in a message.
#define COMMAND 0u
#define NUMBER 4u
#define DIRECTION 12u // the direction, which is 1 for a transfer to the host
#define ENDPOINT 16u
#define LENGTH 24u // in SUBMIT
#define SETUP 40u
#define UNLINKED 20u // in UNLINK
#define STATUS 20u   // in answers
#define DONE 24u

// The negative error numbers of Linux.
#define NO_ERROR 0
#define EPIPE_STATUS (-32)
#define EPROTO_STATUS (-71)
#define ECONNRESET_STATUS (-104)

#define FROM_DEVICE 0x80u
#define TO_DEVICE 0x00u
#define RECIPIENT 0x1Fu
#define TO_INTERFACE 1u
#define GET_DESCRIPTOR 6u
#define SET_CONFIGURATION 9u
#define DEVICE_ID 8u // the offset of vendor and product in the device descriptor

struct usbip_transfer {
    struct usb_transfer transfer;
    struct usbip *usbip;
    struct usb_pipe *pipe;
    uint32_t number;
    bool is_in;
    struct usbip_transfer *next;
    uint8_t bytes[]; // the header of an answer, and the data
};

// ---- Words in big-endian byte order ----

static uint32_t read_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void write_word(uint8_t *bytes, uint32_t word) {
    for (unsigned index = 0; index < 4; index++) {
        bytes[index] = (uint8_t)(word >> (24 - 8 * index));
    }
}

static void write_header(uint8_t *header, enum command command, uint32_t number, int32_t status) {
    memset(header, 0, USBIP_HEADER_SIZE);
    write_word(&header[COMMAND], command);
    write_word(&header[NUMBER], number);
    write_word(&header[STATUS], (uint32_t)status);
}

// ---- Ends of transfers ----

static struct usbip_transfer **find(struct usbip *usbip, uint32_t number) {
    struct usbip_transfer **place = &usbip->first;
    while (*place != NULL && (*place)->number != number) {
        place = &(*place)->next;
    }
    return place;
}

static struct usb_pipe *open_pipe(struct usbip *usbip, enum usb_pipe_kind kind, bool is_in,
                                  const struct usb_endpoint *endpoint) {
    return usb_host_open_pipe(usbip->host, &(struct usb_pipe){.kind = kind,
                                                              .number = endpoint->number,
                                                              .is_in = is_in,
                                                              .packet_max = endpoint->packet_max,
                                                              .interval = endpoint->interval});
}

// Examines a completed request, and opens the pipes according to the descriptors that the kernel
// has read.
static void look_at_request(struct usbip *usbip, const struct usb_transfer *request) {
    const uint8_t *setup = request->setup;
    usb_request_restart_pipes(usbip->host, &usbip->function, setup);
    if (setup[0] == FROM_DEVICE && setup[1] == GET_DESCRIPTOR &&
        setup[3] == DESCRIPTOR_CONFIGURATION && request->done > CONFIGURATION_HEAD_SIZE &&
        request->done == (size_t)(request->data[2] | request->data[3] << 8)) {
        const char *expected =
            usb_find_serial_function(request->data, request->done, &usbip->function);
        if (expected != NULL) {
            machine_crash(usbip->host->machine, "USB: the configuration: expected %s", expected);
        }
    }
    if (setup[0] == TO_DEVICE && setup[1] == SET_CONFIGURATION && setup[2] != 0) {
        usbip->host->pipe_count = 1;
        open_pipe(usbip, USB_INTERRUPT, true, &usbip->function.notifications);
        open_pipe(usbip, USB_BULK, true, &usbip->function.from_device);
        open_pipe(usbip, USB_BULK, false, &usbip->function.to_device);
    }
}

// ---- A device for usbtest ----

// Linux's usbtest recognizes devices by their ids, and tests endpoints of the first interface only.
// Therefore, the data interface is presented as the first interface, and the control interface as
// the second.
static uint8_t other_interface(uint8_t number) { return number ^ 1; }

static void disguise_descriptor(struct usb_transfer *request) {
    static const uint8_t id[] = {0x25, 0x05, 0xA4, 0xA4};
    uint8_t *data = request->data;
    if (request->setup[3] == DESCRIPTOR_DEVICE && request->done == DEVICE_DESCRIPTOR_SIZE) {
        memcpy(&data[DEVICE_ID], id, sizeof id);
    }
    bool has_interfaces = request->setup[3] == DESCRIPTOR_CONFIGURATION;
    for (size_t at = 0; has_interfaces && at + 2 < request->done && data[at] != 0; at += data[at]) {
        if (data[at + 1] == DESCRIPTOR_INTERFACE) {
            data[at + 2] = other_interface(data[at + 2]);
        }
    }
}

static void answer(struct usbip_transfer *ended, enum usb_status status) {
    static const int32_t statuses[] = {[USB_DONE] = NO_ERROR,
                                       [USB_STALLED] = EPIPE_STATUS,
                                       [USB_FAILED] = EPROTO_STATUS,
                                       [USB_GONE] = ECONNRESET_STATUS};
    size_t done = status == USB_DONE ? ended->transfer.done : 0;
    write_header(ended->bytes, SUBMIT_ANSWER, ended->number, statuses[status]);
    write_word(&ended->bytes[DONE], (uint32_t)done);
    ended->usbip->send(ended->usbip->owner, ended->bytes,
                       USBIP_HEADER_SIZE + (ended->is_in ? done : 0));
}

static void on_complete(void *owner, struct usb_transfer *transfer, enum usb_status status) {
    struct usbip_transfer *ended = owner;
    struct usbip *usbip = ended->usbip;
    if (status == USB_DONE && ended->pipe->kind == USB_CONTROL) {
        look_at_request(usbip, transfer);
        if (usbip->is_for_usbtest && transfer->setup[0] == FROM_DEVICE &&
            transfer->setup[1] == GET_DESCRIPTOR) {
            disguise_descriptor(transfer);
        }
    }
    if (status != USB_GONE) {
        answer(ended, status);
    }
    struct usbip_transfer **place = find(usbip, ended->number);
    *place = ended->next;
    free(ended);
}

// ---- Messages ----

static bool submit(struct usbip *usbip, const uint8_t *message) {
    bool is_in = read_word(&message[DIRECTION]) != 0;
    struct usb_pipe *pipe = usb_host_find_pipe(usbip->host, read_word(&message[ENDPOINT]), is_in);
    size_t length = read_word(&message[LENGTH]);
    struct usbip_transfer *begun = calloc(1, sizeof *begun + USBIP_HEADER_SIZE + length);
    if (pipe == NULL || begun == NULL) {
        free(begun);
        return false;
    }
    begun->transfer = (struct usb_transfer){.data = &begun->bytes[USBIP_HEADER_SIZE],
                                            .length = length,
                                            .complete = on_complete,
                                            .owner = begun};
    memcpy(begun->transfer.setup, &message[SETUP], SETUP_PACKET_SIZE);
    if (usbip->is_for_usbtest && (begun->transfer.setup[0] & RECIPIENT) == TO_INTERFACE) {
        begun->transfer.setup[4] = other_interface(begun->transfer.setup[4]);
    }
    if (!is_in) {
        memcpy(begun->transfer.data, &message[USBIP_HEADER_SIZE], length);
    }
    begun->usbip = usbip;
    begun->pipe = pipe;
    begun->number = read_word(&message[NUMBER]);
    begun->is_in = is_in;
    begun->next = usbip->first;
    usbip->first = begun;
    usb_host_submit(usbip->host, pipe, &begun->transfer, false);
    return true;
}

// Cancels a transfer. If the transfer is not found, it has already ended, and its answer has been
// sent.
static void unlink_transfer(struct usbip *usbip, const uint8_t *message) {
    struct usbip_transfer *found = *find(usbip, read_word(&message[UNLINKED]));
    if (found != NULL) {
        usb_host_cancel(usbip->host, found->pipe, &found->transfer);
    }
    uint8_t header[USBIP_HEADER_SIZE];
    write_header(header, UNLINK_ANSWER, read_word(&message[NUMBER]),
                 found != NULL ? ECONNRESET_STATUS : NO_ERROR);
    usbip->send(usbip->owner, header, sizeof header);
}

// Returns the size of the message that the received bytes determine, or 0 if the message is
// invalid.
static size_t message_size(const struct usbip_message *message) {
    const uint8_t *bytes = message->bytes;
    if (message->size < USBIP_HEADER_SIZE) {
        return USBIP_HEADER_SIZE;
    }
    uint32_t length = read_word(&bytes[LENGTH]);
    switch (read_word(&bytes[COMMAND])) {
    case SUBMIT:
        if (length > USBIP_TRANSFER_MAX) {
            return 0;
        }
        return USBIP_HEADER_SIZE + (read_word(&bytes[DIRECTION]) != 0 ? 0 : length);
    case UNLINK:
        return USBIP_HEADER_SIZE;
    default:
        return 0;
    }
}

static bool obey(struct usbip *usbip) {
    struct usbip_message *message = &usbip->message;
    message->size = 0;
    if (read_word(&message->bytes[COMMAND]) == SUBMIT) {
        return submit(usbip, message->bytes);
    }
    unlink_transfer(usbip, message->bytes);
    return true;
}

bool usbip_take(struct usbip *usbip, const uint8_t *bytes, size_t size) {
    struct usbip_message *message = &usbip->message;
    for (size_t index = 0; index < size; index++) {
        message->bytes[message->size++] = bytes[index];
        size_t whole = message_size(message);
        if (whole == 0 || (message->size == whole && !obey(usbip))) {
            return false;
        }
    }
    return true;
}

void usbip_forget(struct usbip *usbip) {
    while (usbip->first != NULL) {
        usb_host_cancel(usbip->host, usbip->first->pipe, &usbip->first->transfer);
    }
    usbip->message.size = 0;
}

// ---- The device ----

static void on_addressed(void *owner) {
    struct usbip *usbip = owner;
    usbip->is_addressed = true;
    usbip->changed(usbip->owner);
}

// Handles the loss of the device, after the host has ended all transfers.
static void on_gone(void *owner) {
    struct usbip *usbip = owner;
    bool was_addressed = usbip->is_addressed;
    usbip->is_addressed = false;
    if (was_addressed) {
        usbip->changed(usbip->owner);
    }
}

struct usb_driver usbip_driver(struct usbip *usbip) {
    return (struct usb_driver){.addressed = on_addressed, .gone = on_gone, .owner = usbip};
}

void usbip_init(struct usbip *usbip, struct usb_host *host, bool is_for_usbtest) {
    *usbip = (struct usbip){.host = host, .is_for_usbtest = is_for_usbtest};
}
