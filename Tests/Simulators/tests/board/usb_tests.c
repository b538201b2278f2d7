// Tests of the USB controller as a device, packet by packet (datasheet 4.1.2.6).
#include "bench.h"

#include <string.h>

#define USB 0x50110000u
#define ADDR_ENDP_REGISTER (USB + ADDR_ENDP)
#define STATUS_REGISTER (USB + SIE_STATUS)
#define BUFF_STATUS_REGISTER (USB + BUFF_STATUS)
#define CONTROL_IN(number) (USB_DPRAM_BASE + 8 * (number))
#define CONTROL_OUT(number) (USB_DPRAM_BASE + 8 * (number) + 4)
#define BUFFER_IN(number) (USB_DPRAM_BASE + BUFFER_CONTROL(number, false))
#define BUFFER_OUT(number) (USB_DPRAM_BASE + BUFFER_CONTROL(number, true))
#define BULK (EP_CONTROL_ENABLE | EP_CONTROL_INTERRUPT_PER_BUFFER | 2u << 26)

#define PLACE_IN 0x180u
#define PLACE_OUT 0x1C0u

static struct bench *bench;
static struct usb_controller *usb;

static void begin(void) {
    bench = bench_begin();
    usb = &bench->board.own.usb;
    for (uint32_t offset = 0; offset < USB_DPRAM_SIZE; offset += 4) {
        put(bench, USB_DPRAM_BASE + offset, 0);
    }
    put(bench, USB + SIE_CTRL, SIE_CTRL_EP0_INT_1BUF);
    put(bench, CONTROL_IN(2), BULK | PLACE_IN);
    put(bench, CONTROL_OUT(2), BULK | PLACE_OUT);
}

static void arm(uint32_t buffer, uint32_t control) {
    put(bench, buffer, control);
    put(bench, buffer, control | BUFFER_AVAILABLE);
}

static bool has_status(uint32_t bits) { return (get(bench, STATUS_REGISTER) & bits) == bits; }

static void test_in(struct tests *tests) {
    begin();
    struct usb_data data = {0};
    EXPECT(tests, "IN is not ready without a buffer", usb_controller_in(usb, 2, &data) == USB_NAK);
    put(bench, USB_DPRAM_BASE + PLACE_IN, 0x04030201);
    arm(BUFFER_IN(2), BUFFER_FULL | BUFFER_DATA1 | 3);
    EXPECT(tests, "IN sends a buffer that is full and available",
           usb_controller_in(usb, 2, &data) == USB_ACK && data.size == 3 && data.is_data1 &&
               memcmp(data.bytes, "\1\2\3", 3) == 0);
    usb_controller_in_ends(usb, 2, false);
    EXPECT(tests, "without an ACK, the controller keeps the buffer",
           has_status(SIE_STATUS_RX_TIMEOUT) && usb_controller_in(usb, 2, &data) == USB_ACK &&
               get(bench, BUFF_STATUS_REGISTER) == 0);
    usb_controller_in_ends(usb, 2, true);
    EXPECT(tests, "with an ACK, the program owns the buffer again",
           get(bench, BUFFER_IN(2)) == (BUFFER_DATA1 | 3) &&
               get(bench, BUFF_STATUS_REGISTER) == 1u << 4);
    put(bench, BUFF_STATUS_REGISTER, 1u << 4);
    EXPECT(tests, "a written 1 clears BUFF_STATUS", get(bench, BUFF_STATUS_REGISTER) == 0);
}

static void test_out(struct tests *tests) {
    begin();
    const struct usb_data data = {.bytes = {5, 6, 7}, .size = 3};
    const struct usb_data other = {.size = 3, .is_data1 = true};
    EXPECT(tests, "OUT is not ready without a buffer", usb_controller_out(usb, 2) == USB_NAK);
    arm(BUFFER_OUT(2), PACKET_MAX);
    EXPECT(tests, "OUT is ready with a buffer", usb_controller_out(usb, 2) == USB_ACK);
    EXPECT(tests, "a packet with the wrong DATA toggle is discarded",
           usb_controller_out_ends(usb, 2, &other) == USB_OUT_AGAIN &&
               has_status(SIE_STATUS_DATA_SEQ_ERROR) && usb_controller_out(usb, 2) == USB_ACK);
    EXPECT(tests, "a packet with the right DATA toggle is stored with its length",
           usb_controller_out_ends(usb, 2, &data) == USB_OUT_TAKEN &&
               get(bench, BUFFER_OUT(2)) == (BUFFER_FULL | 3) &&
               get(bench, BUFF_STATUS_REGISTER) == 1u << 5 &&
               (get(bench, USB_DPRAM_BASE + PLACE_OUT) & 0xFFFFFF) == 0x070605);
    EXPECT(tests, "OUT is not ready after the packet", usb_controller_out(usb, 2) == USB_NAK);
    EXPECT(tests, "an endpoint that is not enabled does not answer",
           usb_controller_out(usb, 3) == USB_NO_ANSWER);
}

static void test_control(struct tests *tests) {
    begin();
    struct usb_data data = {0};
    const uint8_t packet[SETUP_PACKET_SIZE] = {0x80, 6, 0, 1, 0, 0, 18, 0};
    put(bench, BUFFER_IN(0), BUFFER_STALL);
    EXPECT(tests, "EP0 stalls only if it is armed", usb_controller_in(usb, 0, &data) == USB_NAK);
    put(bench, USB + EP_STALL_ARM, EP_STALL_ARM_IN);
    EXPECT(tests, "EP0 stalls when it is armed", usb_controller_in(usb, 0, &data) == USB_STALL);
    usb_controller_setup(usb, packet);
    EXPECT(tests, "SETUP ends the stall, and is reported",
           usb_controller_in(usb, 0, &data) == USB_NAK && has_status(SIE_STATUS_SETUP_REC) &&
               get(bench, USB_DPRAM_BASE) == 0x01000680);
    EXPECT(tests, "a device has its assigned address",
           usb_controller_has_address(usb, 0) && !usb_controller_has_address(usb, 5));
    put(bench, ADDR_ENDP_REGISTER, 5);
    EXPECT(tests, "a new address is valid immediately", usb_controller_has_address(usb, 5));
    usb_controller_bus_reset(usb);
    EXPECT(tests, "a reset of the bus does not change the address",
           usb_controller_has_address(usb, 5) && has_status(SIE_STATUS_BUS_RESET));
}

// ---- Accesses that the simulator refuses ----

static void available_together(void) {
    begin();
    put(bench, BUFFER_OUT(2), BUFFER_AVAILABLE | PACKET_MAX);
}

static void available_before(void) {
    begin();
    put(bench, BUFFER_OUT(2), BUFFER_AVAILABLE);
}

static void available_before_length(void) {
    begin();
    put(bench, BUFFER_OUT(0), 0);
    put(bench, BUFFER_OUT(0), BUFFER_AVAILABLE);
    put(bench, BUFFER_OUT(0), BUFFER_AVAILABLE | PACKET_MAX);
}

static void write_owned_control(void) {
    begin();
    arm(BUFFER_OUT(2), PACKET_MAX);
    usb_controller_out(usb, 2);
    put(bench, BUFFER_OUT(2), 0);
}

static void write_owned_buffer(void) {
    begin();
    arm(BUFFER_IN(2), BUFFER_FULL | 4);
    struct usb_data data;
    usb_controller_in(usb, 2, &data);
    put(bench, USB_DPRAM_BASE + PLACE_IN, 1);
}

static void share_buffer(void) {
    begin();
    put(bench, CONTROL_OUT(2), BULK | PLACE_IN);
    arm(BUFFER_OUT(2), PACKET_MAX);
}

static void bad_place(void) {
    begin();
    put(bench, CONTROL_OUT(2), BULK | 0x140u);
    arm(BUFFER_OUT(2), PACKET_MAX);
}

static void in_not_full(void) {
    begin();
    arm(BUFFER_IN(2), 4);
}

static void too_long(void) {
    begin();
    arm(BUFFER_IN(2), BUFFER_FULL | (PACKET_MAX + 1));
}

static void overrun(void) {
    begin();
    const struct usb_data data = {.size = 9};
    arm(BUFFER_OUT(2), 8);
    usb_controller_out_ends(usb, 2, &data);
}

static void late_in_frame(void) {
    begin();
    usb_controller_out(usb, 2);
    usb_controller_sof(usb, bench->board.own.machine.now, 1);
    bench_run(bench, 900 * CYCLES_PER_US);
    arm(BUFFER_IN(2), BUFFER_FULL | 4);
}

static void test_late_in_frame(struct tests *tests) {
    begin();
    usb_controller_out(usb, 2);
    usb_controller_sof(usb, bench->board.own.machine.now, 1);
    bench_run(bench, 700 * CYCLES_PER_US);
    arm(BUFFER_IN(2), BUFFER_FULL | 4);
    struct usb_data data;
    EXPECT(tests, "bulk IN may be made available early in a frame",
           usb_controller_in(usb, 2, &data) == USB_ACK);
    expect_refused(tests, "bulk IN must not be made available late in a frame (RP2040-E15)",
                   late_in_frame, "USB: EP2 IN made available 900 us after SOF (RP2040-E15)");
}

void test_usb_controller(struct tests *tests) {
    test_in(tests);
    test_out(tests);
    test_control(tests);
    test_late_in_frame(tests);
    expect_refused(tests, "AVAILABLE must not be written together with a length",
                   available_together,
                   "USB: EP2 OUT: AVAILABLE written together with other fields");
    expect_refused(tests, "AVAILABLE must not be written without a length", available_before,
                   "USB: EP2 OUT: a length of 0");
    expect_refused(tests, "AVAILABLE must not be written before a length", available_before_length,
                   "USB: EP0 OUT: AVAILABLE before other fields");
    expect_refused(tests, "the controller owns the control word of an available buffer",
                   write_owned_control,
                   "USB: EP2 OUT: buffer control written while it is AVAILABLE");
    expect_refused(tests, "the controller owns the bytes of an available buffer",
                   write_owned_buffer, "USB: the buffer of EP2 written while it is AVAILABLE");
    expect_refused(tests, "endpoints must not share a buffer", share_buffer,
                   "USB: EP2 OUT shares its buffer with EP2 IN");
    expect_refused(tests, "a buffer must not overlap that of EP0", bad_place,
                   "USB: EP2 OUT has its buffer at 0x140");
    expect_refused(tests, "an IN buffer must be full", in_not_full,
                   "USB: EP2 IN made available with FULL 0");
    expect_refused(tests, "a packet has at most 64 bytes", too_long, "USB: EP2 IN: a length of 65");
    expect_refused(tests, "a packet must fit into its buffer", overrun,
                   "USB: EP2 OUT: 9 bytes for a buffer of 8");
}
