// Tests of USB/IP, message by message, with the small device of usb_device.h at the other end of
// the cable.
#include "usb_device.h"

#include <string.h>

#define SETTLED (500u * CYCLES_PER_MS)
#define ANSWERED (20u * CYCLES_PER_MS)
#define OUT 0u
#define IN 1u

static struct bench *bench;
static struct usb_device device;
static uint8_t answers[4096];
static size_t answers_size;
static unsigned changes;

static void take_answer(void *owner, const uint8_t *bytes, size_t size) {
    (void)owner;
    memcpy(&answers[answers_size], bytes, size);
    answers_size += size;
}

static void count_change(void *owner) {
    (void)owner;
    changes++;
}

static void begin(void) {
    const struct options options = {
        .device_id = MODEL_ID_DRV2605L, .actuators = 1, .own = {.usbip_path = "usbip"}};
    bench = bench_begin_with(&options);
    answers_size = 0;
    changes = 0;
    bench->board.own.usbip.send = take_answer;
    bench->board.own.usbip.changed = count_change;
    usb_device_start(&device, bench, USB_DEVICE_RIGHT);
    usb_host_plug(&bench->board.own.usb_host, true);
    usb_device_run(&device, SETTLED);
}

// Submits a transfer of up to 255 bytes.
static bool submit(uint8_t number, uint8_t direction, uint8_t endpoint, uint8_t length,
                   const uint8_t *setup, const char *data) {
    uint8_t message[USBIP_HEADER_SIZE + 255] = {
        [3] = 1, [7] = number, [15] = direction, [19] = endpoint, [27] = length};
    memcpy(&message[40], setup, 8);
    memcpy(&message[USBIP_HEADER_SIZE], data, direction == OUT ? length : 0);
    return usbip_take(&bench->board.own.usbip, message,
                      USBIP_HEADER_SIZE + (direction == OUT ? length : 0u));
}

static bool unlink_transfer(uint8_t number, uint8_t unlinked) {
    const uint8_t message[USBIP_HEADER_SIZE] = {[3] = 2, [7] = number, [23] = unlinked};
    return usbip_take(&bench->board.own.usbip, message, sizeof message);
}

// Removes the first answer and the `size` bytes that follow it. Returns true if the answer has the
// expected values.
static bool answered(uint8_t command, uint8_t number, int8_t status, uint8_t done, size_t size) {
    uint8_t header[USBIP_HEADER_SIZE] = {[3] = command, [7] = number, [27] = done};
    memset(&header[20], status < 0 ? 0xFF : 0, 3);
    header[23] = (uint8_t)status;
    bool is_it =
        answers_size >= sizeof header + size && memcmp(answers, header, sizeof header) == 0;
    answers_size -= is_it ? sizeof header + size : 0;
    memmove(answers, &answers[sizeof header + size], is_it ? answers_size : 0);
    return is_it;
}

static const uint8_t none[8];
static const uint8_t get_device[8] = {0x80, 6, 0, 1, 0, 0, 64, 0};
static const uint8_t get_configuration[8] = {0x80, 6, 0, 2, 0, 0, 75, 0};
static const uint8_t set_configuration[8] = {0, 9, 1, 0, 0, 0, 0, 0};

static void begin_configured(void) {
    begin();
    submit(1, IN, 0, 75, get_configuration, "");
    submit(2, OUT, 0, 0, set_configuration, "");
    usb_device_run(&device, ANSWERED);
    answers_size = 0;
}

static void test_requests(struct tests *tests) {
    begin();
    EXPECT(tests, "a device with an address is reported", changes == 1);
    EXPECT(tests, "the host sends no further requests", device.requests == 2);
    EXPECT(tests, "a request is accepted", submit(7, IN, 0, 64, get_device, ""));
    usb_device_run(&device, ANSWERED);
    bool is_descriptor = memcmp(&answers[USBIP_HEADER_SIZE], usb_device_descriptor,
                                sizeof usb_device_descriptor) == 0;
    EXPECT(tests, "a request is answered with the data of the device",
           is_descriptor && answered(3, 7, 0, 18, 18) && answers_size == 0);
    begin_configured();
    EXPECT(tests, "SET_CONFIGURATION opens the endpoints",
           bench->board.own.usb_host.pipe_count == 4);
}

static void test_bulk(struct tests *tests) {
    begin_configured();
    submit(3, IN, 2, 128, none, "");
    usb_device_run(&device, ANSWERED);
    EXPECT(tests, "a device is polled until it has data", answers_size == 0);
    submit(4, OUT, 2, 3, none, "abc");
    usb_device_run(&device, ANSWERED);
    EXPECT(tests, "a completed write is reported", answered(3, 4, 0, 3, 0));
    EXPECT(tests, "data that is read follows the answer",
           memcmp(&answers[USBIP_HEADER_SIZE], "abc", 3) == 0 && answered(3, 3, 0, 3, 3) &&
               answers_size == 0);
}

static void test_unlink(struct tests *tests) {
    begin_configured();
    submit(3, IN, 2, 128, none, "");
    submit(4, IN, 2, 128, none, "");
    usb_device_run(&device, ANSWERED);
    unlink_transfer(5, 3);
    EXPECT(tests, "a cancelled transfer ends with ECONNRESET", answered(4, 5, -104, 0, 0));
    unlink_transfer(6, 3);
    EXPECT(tests, "a transfer that has ended cannot be cancelled", answered(4, 6, 0, 0, 0));
    submit(7, OUT, 2, 3, none, "abc");
    usb_device_run(&device, ANSWERED);
    EXPECT(tests, "the next transfer receives the data",
           answered(3, 7, 0, 3, 0) && answered(3, 4, 0, 3, 3) && answers_size == 0);
}

static void test_end(struct tests *tests) {
    begin_configured();
    submit(3, IN, 2, 128, none, "");
    usb_device_run(&device, ANSWERED);
    usb_host_plug(&bench->board.own.usb_host, false);
    EXPECT(tests, "a detached device is reported, and its transfers are discarded",
           changes == 2 && answers_size == 0 && bench->board.own.usbip.first == NULL);
    begin_configured();
    submit(3, IN, 2, 128, none, "");
    usbip_forget(&bench->board.own.usbip);
    EXPECT(tests, "no transfer remains after the kernel disconnects",
           answers_size == 0 && bench->board.own.usbip.first == NULL && changes == 1);
}

static void test_nonsense(struct tests *tests) {
    begin();
    const uint8_t unknown[USBIP_HEADER_SIZE] = {[3] = 5};
    const uint8_t long_one[USBIP_HEADER_SIZE] = {[3] = 1, [24] = 1};
    EXPECT(tests, "an unknown command is refused",
           !usbip_take(&bench->board.own.usbip, unknown, sizeof unknown));
    usbip_forget(&bench->board.own.usbip);
    EXPECT(tests, "a transfer of more than 64 KB is refused",
           !usbip_take(&bench->board.own.usbip, long_one, sizeof long_one));
    usbip_forget(&bench->board.own.usbip);
    EXPECT(tests, "a transfer to an unknown endpoint is refused", !submit(1, IN, 2, 64, none, ""));
}

void test_usbip(struct tests *tests) {
    test_requests(tests);
    test_bulk(tests);
    test_unlink(tests);
    test_end(tests);
    test_nonsense(tests);
}
