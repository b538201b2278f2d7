// Tests of the host, with a device that complies with USB and with devices that do not.
#include "usb_device.h"

#include <string.h>

#define SETTLED (500u * CYCLES_PER_MS)

static struct bench *bench;
static struct usb_device device;

static void begin(enum usb_device_fault fault) {
    bench = bench_begin();
    usb_device_start(&device, bench, fault);
}

static void begin_settled(void) {
    begin(USB_DEVICE_RIGHT);
    usb_device_run(&device, SETTLED);
}

static void write_bytes(size_t size) {
    uint8_t bytes[256];
    for (size_t byte = 0; byte < size; byte++) {
        bytes[byte] = (uint8_t)byte;
    }
    board_send(&bench->board, bench->board.own.machine.now, bytes, size);
}

static unsigned count(const char *what) {
    unsigned found = 0;
    for (const char *at = strstr(bench_text(bench), what); at != NULL; at = strstr(at + 1, what)) {
        found++;
    }
    return found;
}

static bool asked(unsigned number, uint8_t request, uint8_t value_high, uint8_t length) {
    const uint8_t *setup = device.setups[number];
    return setup[1] == request && setup[3] == value_high && setup[6] == length;
}

static void test_enumeration(struct tests *tests) {
    begin_settled();
    EXPECT(tests, "a host sends the requests that Linux sends",
           asked(0, 6, 1, 64) && asked(1, 5, 0, 0) && asked(2, 6, 1, 18) && asked(3, 6, 2, 9) &&
               asked(4, 6, 2, 75) && asked(5, 6, 3, 255) && asked(6, 6, 3, 255) &&
               asked(9, 9, 0, 0));
    EXPECT(tests, "a host configures the device once", count("configured\n") == 1);
    const uint8_t coding[] = {0x90, 0xD0, 3, 0, 0, 0, 8}; // 250,000, 8N1
    EXPECT(tests, "a host opens the port after the configuration",
           memcmp(device.line_coding, coding, sizeof coding) == 0 && device.lines == 3 &&
               count("dtr ") == 1);
    board_set_rate(&bench->board, 1200);
    board_set_dtr(&bench->board, false);
    usb_device_run(&device, 10 * CYCLES_PER_MS);
    EXPECT(tests, "the rate and the lines reach the device",
           device.line_coding[0] == 0xB0 && device.line_coding[1] == 4 && device.lines == 0);
}

static void test_bytes(struct tests *tests) {
    begin_settled();
    write_bytes(100);
    usb_device_run(&device, 10 * CYCLES_PER_MS);
    EXPECT(tests, "bytes are sent to the device and back",
           device.received == 100 && count("tx ") == 100);
    EXPECT(tests, "the bytes return in order",
           strstr(bench_text(bench), " 62\ntx ") != NULL && count(" 63\n") == 1);
    EXPECT(tests, "a short packet is the last packet", device.empty == 0);
    write_bytes(128);
    usb_device_run(&device, 10 * CYCLES_PER_MS);
    EXPECT(tests, "full packets are followed by an empty one",
           device.received == 228 && device.empty == 1);
}

static void test_damage(struct tests *tests) {
    for (unsigned damaged = 1; damaged <= 12; damaged++) {
        begin_settled();
        usb_host_damage(&bench->board.own.usb_host, damaged);
        write_bytes(100);
        usb_device_run(&device, 20 * CYCLES_PER_MS);
        bool is_whole = device.received == 100 && count("tx ") == 100;
        EXPECT(tests, "when packets are damaged, no data is lost, or the loss is reported",
               is_whole || count(" lost ") != 0);
    }
}

static void test_cable(struct tests *tests) {
    begin_settled();
    usb_host_plug(&bench->board.own.usb_host, false);
    usb_device_run(&device, 2 * CYCLES_PER_MS);
    unsigned before = device.suspensions;
    write_bytes(10);
    usb_device_run(&device, 2 * CYCLES_PER_MS);
    EXPECT(tests, "a device without a cable is suspended after 3 ms",
           device.suspensions == before + 1 && count("detached\n") == 1);
    usb_host_plug(&bench->board.own.usb_host, true);
    usb_device_run(&device, SETTLED);
    EXPECT(
        tests,
        "a device that is plugged in again is set up again, and earlier writes are not sent to it",
        count("configured\n") == 2 && device.received == 0);
    usb_session_reset(&bench->board.own.usb_session);
    usb_device_run(&device, SETTLED);
    EXPECT(tests, "a host that resets the port sets it up again", count("configured\n") == 3);
}

static void test_suspend(struct tests *tests) {
    begin_settled();
    unsigned before = device.suspensions;
    usb_host_suspend(&bench->board.own.usb_host);
    usb_device_run(&device, 10 * CYCLES_PER_MS);
    write_bytes(10);
    usb_device_run(&device, 10 * CYCLES_PER_MS);
    EXPECT(tests, "nothing is sent on a suspended bus",
           device.suspensions == before + 1 && device.received == 0);
    usb_host_resume(&bench->board.own.usb_host);
    usb_device_run(&device, 50 * CYCLES_PER_MS);
    EXPECT(tests, "a resumed bus is in use again",
           device.received == 10 && count("configured\n") == 1 && count("tx ") == 10);
}

// A packet of 64 bytes has 614 bits, including its token, its handshake and the gaps, so 19 packets
// fit into a frame.
static void test_rate(struct tests *tests) {
    begin_settled();
    uint64_t frame = bench->board.own.usb_host.frame;
    for (unsigned write = 0; write < 200; write++) {
        write_bytes(128);
    }
    usb_device_run(&device, 20 * CYCLES_PER_MS);
    uint64_t frames = bench->board.own.usb_host.frame - frame;
    EXPECT(tests, "at most 19 packets of 64 bytes are sent in a frame",
           device.received <= frames * 19 * 64 && device.received > frames * 4 * 64);
}

// ---- Devices that the host refuses ----

static void run_wrong_length(void) {
    begin(USB_DEVICE_WRONG_LENGTH);
    usb_device_run(&device, SETTLED);
}

static void run_same_data(void) {
    begin(USB_DEVICE_SAME_DATA);
    usb_device_run(&device, SETTLED);
}

static void run_early_address(void) {
    begin(USB_DEVICE_EARLY_ADDRESS);
    usb_device_run(&device, 4 * SETTLED);
}

static void run_deaf(void) {
    begin(USB_DEVICE_RIGHT);
    bench_run(bench, 50 * SETTLED); // without serving the host
}

static void run_stalls(void) {
    begin(USB_DEVICE_STALLS);
    usb_device_run(&device, SETTLED);
}

void test_usb_host(struct tests *tests) {
    test_enumeration(tests);
    test_bytes(tests);
    test_damage(tests);
    test_cable(tests);
    test_suspend(tests);
    test_rate(tests);
    expect_refused(tests, "a configuration consists of descriptors", run_wrong_length,
                   "USB: request 80 06, value 0200: expected descriptors that fill");
    expect_refused(tests, "DATA0 and DATA1 alternate", run_same_data,
                   "USB: EP0 IN sends DATA0 where DATA1 is expected");
    expect_refused(tests, "the old address is valid until the request has ended", run_early_address,
                   "USB: the device cannot be set up: error");
    expect_refused(tests, "requests are answered within 5 s", run_deaf,
                   "USB: the device cannot be set up: timeout");
    expect_refused(tests, "a device must not refuse descriptors", run_stalls,
                   "USB: request 80 06, value 0100: expected no STALL");
}
