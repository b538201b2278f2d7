#include "usb_endpoints.h"

#include <string.h>

#define DPRAM_NAME "USB DPRAM"

// The limits of the last fifth of a frame, in which a program must not make bulk IN available,
// because a token during this time can hang the controller permanently (RP2040-E15). The limits
// include a margin for the time that a program needs between its test and its write.
#define E15_FROM (850u * CYCLES_PER_US)
#define E15_UNTIL (998u * CYCLES_PER_US)

#define TYPE_ISOCHRONOUS 1u
#define TYPE_BULK 2u

// ---- Buffers ----

static uint32_t word(const struct usb_controller *usb, uint32_t offset) {
    return usb->dpram.words[offset / 4];
}

static uint32_t buffer_control(const struct usb_controller *usb, unsigned number, bool is_out) {
    return word(usb, BUFFER_CONTROL(number, is_out));
}

static void set_buffer_control(struct usb_controller *usb, unsigned number, bool is_out,
                               uint32_t value) {
    usb->dpram.words[BUFFER_CONTROL(number, is_out) / 4] = value;
    usb->buffers[2 * number + (is_out ? 1 : 0)] = value;
}

static uint32_t endpoint_control(const struct usb_controller *usb, unsigned number, bool is_out) {
    return number == 0 ? EP_CONTROL_ENABLE : word(usb, EP_CONTROL(number, is_out));
}

static uint32_t buffer_address(const struct usb_controller *usb, unsigned number, bool is_out) {
    return number == 0 ? EP0_BUFFER : endpoint_control(usb, number, is_out) & EP_CONTROL_ADDRESS;
}

static const char *direction(bool is_out) { return is_out ? "OUT" : "IN"; }

static void check_buffer(const struct usb_controller *usb, unsigned number, bool is_out) {
    uint32_t control = endpoint_control(usb, number, is_out);
    uint32_t address = buffer_address(usb, number, is_out);
    if ((control & EP_CONTROL_ENABLE) == 0) {
        machine_crash(usb->machine, "USB: EP%u %s made available, but not enabled", number,
                      direction(is_out));
    }
    if (number != 0 && (address < FREE_BUFFERS || address > USB_DPRAM_SIZE - PACKET_MAX)) {
        machine_crash(usb->machine, "USB: EP%u %s has its buffer at 0x%03x", number,
                      direction(is_out), (unsigned)address);
    }
    if (EP_CONTROL_TYPE(control) == TYPE_ISOCHRONOUS && number != 0) {
        machine_crash(usb->machine, "USB: EP%u %s is isochronous", number, direction(is_out));
    }
    for (unsigned other = 1; other < USB_ENDPOINTS; other++) {
        for (unsigned out = 0; out < 2 && number != 0; out++) {
            bool is_other = other != number || (out == 1) != is_out;
            if (is_other && (endpoint_control(usb, other, out == 1) & EP_CONTROL_ENABLE) != 0 &&
                buffer_address(usb, other, out == 1) == address) {
                machine_crash(usb->machine, "USB: EP%u %s shares its buffer with EP%u %s", number,
                              direction(is_out), other, direction(out == 1));
            }
        }
    }
}

static void check_e15(const struct usb_controller *usb, unsigned number) {
    uint64_t since = usb->machine->now - usb->sof_at;
    bool is_bulk =
        number != 0 && EP_CONTROL_TYPE(endpoint_control(usb, number, false)) == TYPE_BULK;
    if (is_bulk && usb->is_in_use && since >= E15_FROM && since < E15_UNTIL) {
        machine_crash(usb->machine, "USB: EP%u IN made available %u us after SOF (RP2040-E15)",
                      number, (unsigned)(since / CYCLES_PER_US));
    }
}

// Makes a buffer available. The controller reads the control word with a clock that differs from
// the processor's clock, so the program must write the other bits before AVAILABLE (4.1.2.5.1).
static void make_available(struct usb_controller *usb, unsigned number, bool is_out,
                           uint32_t before, uint32_t after) {
    if (((before ^ after) & ~BUFFER_AVAILABLE) != 0) {
        machine_crash(usb->machine, "USB: EP%u %s: AVAILABLE written together with other fields",
                      number, direction(is_out));
    }
    bool takes_nothing = is_out && number != 0 && (after & BUFFER_LENGTH) == 0;
    if (takes_nothing || (after & BUFFER_LENGTH) > PACKET_MAX) {
        machine_crash(usb->machine, "USB: EP%u %s: a length of %u", number, direction(is_out),
                      (unsigned)(after & BUFFER_LENGTH));
    }
    bool has_data = (after & BUFFER_FULL) != 0;
    if (has_data == is_out && (after & BUFFER_STALL) == 0) {
        machine_crash(usb->machine, "USB: EP%u %s made available with FULL %d", number,
                      direction(is_out), has_data);
    }
    check_buffer(usb, number, is_out);
    if (!is_out) {
        check_e15(usb, number);
    }
}

// Returns true if the program may write the control word of a buffer that the controller owns,
// because the buffer was aborted. On revisions before B2, a buffer cannot be aborted; there, the
// program may write the word while no packet is being transmitted.
static bool is_given_up(const struct usb_controller *usb, unsigned number, bool is_out) {
    uint32_t bit = BUFF_STATUS_BIT(number, is_out);
    return usb->machine->boot_rom.version < ROM_VERSION_B2
               ? usb->under_way != bit
               : (usb->aborted & usb->abort_done & bit) != 0;
}

// Checks a write to a buffer control word. While the controller owns a buffer, the program must not
// change its control word. A reset of the bus ends the ownership. For EP0, a SETUP packet also ends
// the ownership, even if the program detects the packet only later.
static void buffer_control_written(struct usb_controller *usb, unsigned number, bool is_out) {
    uint32_t *stored = &usb->buffers[2 * number + (is_out ? 1 : 0)];
    uint32_t before = *stored;
    uint32_t after = buffer_control(usb, number, is_out);
    *stored = after;
    machine_check_bits(usb->machine, DPRAM_NAME, BUFFER_CONTROL(number, is_out), after,
                       BUFFER_MODELLED);
    if ((before & BUFFER_AVAILABLE) != 0 && after != before && number != 0 && usb->is_in_use &&
        !is_given_up(usb, number, is_out)) {
        machine_crash(usb->machine, "USB: EP%u %s: buffer control written while it is AVAILABLE",
                      number, direction(is_out));
    }
    if ((after & BUFFER_AVAILABLE) != 0 && (before & BUFFER_AVAILABLE) != 0 && after != before) {
        machine_crash(usb->machine, "USB: EP%u %s: AVAILABLE before other fields", number,
                      direction(is_out));
    }
    if ((after & ~before & BUFFER_AVAILABLE) != 0) {
        make_available(usb, number, is_out, before, after);
    }
    if ((after & (BUFFER_AVAILABLE | BUFFER_STALL)) != 0) {
        usb->listener.available(usb->listener.owner);
    }
}

// Returns true if an offset in DPRAM is in a buffer that the controller owns.
static bool is_available_at(const struct usb_controller *usb, uint32_t offset, unsigned number,
                            bool is_out) {
    uint32_t address = buffer_address(usb, number, is_out);
    return (buffer_control(usb, number, is_out) & BUFFER_AVAILABLE) != 0 && offset >= address &&
           offset < address + PACKET_MAX;
}

void usb_endpoints_written(void *owner, uint32_t offset) {
    struct usb_controller *usb = owner;
    if (offset < SETUP_PACKET_SIZE && usb->is_in_use) {
        machine_crash(usb->machine, "USB: the setup packet is overwritten");
    }
    if (offset >= BUFFER_CONTROLS && offset < EP0_BUFFER) {
        uint32_t index = (offset - BUFFER_CONTROLS) / 4;
        buffer_control_written(usb, index / 2, index % 2 == 1);
        return;
    }
    if (offset >= SETUP_PACKET_SIZE && offset < BUFFER_CONTROLS) {
        machine_check_bits(usb->machine, DPRAM_NAME, offset, word(usb, offset),
                           EP_CONTROL_MODELLED);
        return;
    }
    for (unsigned number = 1; number < USB_ENDPOINTS && usb->is_in_use; number++) {
        if (is_available_at(usb, offset, number, false) ||
            is_available_at(usb, offset, number, true)) {
            machine_crash(usb->machine, "USB: the buffer of EP%u written while it is AVAILABLE",
                          number);
        }
    }
}

// ---- Packets ----

void usb_controller_setup(struct usb_controller *usb, const uint8_t packet[SETUP_PACKET_SIZE]) {
    usb->is_in_use = true;
    memcpy(usb->dpram.bytes, packet, SETUP_PACKET_SIZE);
    usb->stall_arm = 0;
    usb_controller_raise(usb, SIE_STATUS_SETUP_REC);
}

void usb_controller_abandon(struct usb_controller *usb) {
    usb->abort_done |= usb->under_way & usb->aborted;
    usb->under_way = 0;
}

static bool is_stalled(const struct usb_controller *usb, unsigned number, bool is_out) {
    uint32_t arm = is_out ? EP_STALL_ARM_OUT : EP_STALL_ARM_IN;
    bool is_armed = number != 0 || (usb->stall_arm & arm) != 0;
    return is_armed && (buffer_control(usb, number, is_out) & BUFFER_STALL) != 0;
}

static bool is_enabled(const struct usb_controller *usb, unsigned number, bool is_out) {
    return (endpoint_control(usb, number, is_out) & EP_CONTROL_ENABLE) != 0;
}

static enum usb_answer answer(struct usb_controller *usb, unsigned number, bool is_out) {
    usb->is_in_use = true;
    if (!is_enabled(usb, number, is_out)) {
        return USB_NO_ANSWER;
    }
    if (is_stalled(usb, number, is_out)) {
        return USB_STALL;
    }
    uint32_t control = buffer_control(usb, number, is_out);
    bool has_data = (control & BUFFER_FULL) != 0;
    bool is_ready = (control & BUFFER_AVAILABLE) != 0 && has_data != is_out &&
                    (usb->aborted & BUFF_STATUS_BIT(number, is_out)) == 0;
    usb->under_way = is_ready ? BUFF_STATUS_BIT(number, is_out) : 0;
    return is_ready ? USB_ACK : USB_NAK;
}

static void finish(struct usb_controller *usb, unsigned number, bool is_out, uint32_t control) {
    set_buffer_control(usb, number, is_out, control & ~BUFFER_AVAILABLE);
    bool tells =
        number == 0
            ? (usb->sie_control & SIE_CTRL_EP0_INT_1BUF) != 0
            : (endpoint_control(usb, number, is_out) & EP_CONTROL_INTERRUPT_PER_BUFFER) != 0;
    if (tells) {
        usb->buffer_status |= BUFF_STATUS_BIT(number, is_out);
    }
    if ((control & BUFFER_LAST) != 0) {
        usb->sie_status |= SIE_STATUS_TRANS_COMPLETE;
    }
    usb_controller_update(usb);
}

enum usb_answer usb_controller_in(struct usb_controller *usb, unsigned number,
                                  struct usb_data *data) {
    enum usb_answer ready = answer(usb, number, false);
    if (ready == USB_ACK) {
        uint32_t control = buffer_control(usb, number, false);
        data->size = (uint16_t)(control & BUFFER_LENGTH);
        data->is_data1 = (control & BUFFER_DATA1) != 0;
        memcpy(data->bytes, &usb->dpram.bytes[buffer_address(usb, number, false)], data->size);
    }
    return ready;
}

void usb_controller_in_ends(struct usb_controller *usb, unsigned number, bool acknowledged) {
    usb_controller_abandon(usb);
    if (!acknowledged) {
        usb_controller_raise(usb, SIE_STATUS_RX_TIMEOUT);
        return;
    }
    usb->sie_status |= SIE_STATUS_ACK_REC;
    finish(usb, number, false, buffer_control(usb, number, false) & ~BUFFER_FULL);
}

enum usb_answer usb_controller_out(struct usb_controller *usb, unsigned number) {
    return answer(usb, number, true);
}

enum usb_out usb_controller_out_ends(struct usb_controller *usb, unsigned number,
                                     const struct usb_data *data) {
    usb_controller_abandon(usb);
    uint32_t control = buffer_control(usb, number, true);
    if (((control & BUFFER_DATA1) != 0) != data->is_data1) {
        usb_controller_raise(usb, SIE_STATUS_DATA_SEQ_ERROR);
        return USB_OUT_AGAIN;
    }
    if (data->size > (control & BUFFER_LENGTH)) {
        machine_crash(usb->machine, "USB: EP%u OUT: %u bytes for a buffer of %u", number,
                      data->size, (unsigned)(control & BUFFER_LENGTH));
    }
    memcpy(&usb->dpram.bytes[buffer_address(usb, number, true)], data->bytes, data->size);
    finish(usb, number, true, (control & ~BUFFER_LENGTH) | BUFFER_FULL | data->size);
    return USB_OUT_TAKEN;
}
