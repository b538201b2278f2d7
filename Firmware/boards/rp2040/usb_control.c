#include "usb_control.h"

#include <stddef.h>

#include "rp2040.h"
#include "usb_descriptors.h"

/* Requests as type << 8 | request (USB 2.0 table 9-3, PSTN 1.2 table 13). */
enum request {
    GET_STATUS_OF_DEVICE = 0x8000,
    GET_STATUS_OF_INTERFACE = 0x8100,
    GET_STATUS_OF_ENDPOINT = 0x8200,
    CLEAR_FEATURE_OF_ENDPOINT = 0x0201,
    SET_FEATURE_OF_ENDPOINT = 0x0203,
    SET_ADDRESS = 0x0005,
    GET_DESCRIPTOR = 0x8006,
    GET_CONFIGURATION = 0x8008,
    SET_CONFIGURATION = 0x0009,
    GET_INTERFACE = 0x810a,
    SET_INTERFACE = 0x010b,
    SET_LINE_CODING = 0x2120,
    GET_LINE_CODING = 0xa121,
    SET_CONTROL_LINE_STATE = 0x2122,
    SEND_BREAK = 0x2123,
};

/* The flag of a request that transfers its data, if any, to the host. */
#define FROM_DEVICE 0x8000
/* The flag of a class request; in this file, such requests address the control interface. */
#define CLASS 0x2000
#define ENDPOINT_NUMBER 0x7f
#define ENDPOINT_HALT 0
#define ADDRESS_MAX 127
#define NO_ADDRESS 255
#define DTR 1u

/* The baud rate that a host sets to request the boot loader, a convention that the Arduino Leonardo
   introduced. */
#define BOOT_LOADER_BAUD 1200u

#define BUFFER ((volatile uint8_t *)(USB_DPRAM + 0x100))

/* A setup packet (USB 2.0 9.3). */
struct setup {
    uint16_t request; /**< enum request */
    uint16_t value;
    uint16_t index;
    uint16_t length;
};

/* The line coding that the host sets: rate, stop bits, parity, data bits (PSTN 1.2 table 17). */
static uint8_t line_coding[7] = {0x00, 0xc2, 0x01, 0x00, 0, 0, 8};

static bool wants_boot_loader;

/* The request in progress. */
static const uint8_t *answer; /**< the bytes that have not been sent yet */
static uint16_t answer_size;
static bool answer_is_short; /**< true if the answer is shorter than requested, so it must end with
                                a short packet */
static uint32_t data_toggle; /**< data toggle of the next packet that is sent */
static uint8_t
    new_address; /**< the address to use after the status stage; NO_ADDRESS if it does not change */
static bool takes_line_coding; /**< the next packet from the host is the line coding */

void usb_control_reset(void) {
    usb_take_back(&USB_BUFFER_IN(0u));
    usb_take_back(&USB_BUFFER_OUT(0u));
    answer_size = 0;
    answer_is_short = false;
    new_address = NO_ADDRESS;
    takes_line_coding = false;
}

bool usb_control_wants_boot_loader(void) { return wants_boot_loader; }

/* ---- Stages ------------------------------------------------------------------------------- */

static void send_packet(void) {
    uint16_t size = answer_size < USB_CONTROL_PACKET_SIZE ? answer_size : USB_CONTROL_PACKET_SIZE;
    for (uint16_t index = 0; index < size; index++) {
        BUFFER[index] = answer[index];
    }
    answer += size;
    answer_size = (uint16_t)(answer_size - size);
    if (size < USB_CONTROL_PACKET_SIZE) {
        answer_is_short = false;
    }
    usb_arm(&USB_BUFFER_IN(0u), USB_BUFFER_FULL | data_toggle | size);
    data_toggle ^= USB_BUFFER_DATA1;
}

/* Begins an answer. The status stage follows, in which the host sends an empty packet with DATA1;
   the host may send this packet early. */
static bool reply(const void *bytes, uint16_t size, uint16_t wanted) {
    answer = bytes;
    answer_size = size < wanted ? size : wanted;
    answer_is_short = size < wanted;
    if (wanted) {
        usb_arm(&USB_BUFFER_OUT(0u), USB_BUFFER_DATA1 | USB_CONTROL_PACKET_SIZE);
    }
    send_packet();
    return true;
}

/* Ends a successful request with an empty packet. */
static bool accept(void) {
    answer_size = 0;
    answer_is_short = false;
    send_packet();
    return true;
}

static void refuse(void) {
    USB_EP_STALL_ARM = USB_EP_STALL_ARM_EP0;
    USB_BUFFER_IN(0u) = USB_BUFFER_STALL;
    USB_BUFFER_OUT(0u) = USB_BUFFER_STALL;
}

void usb_control_sent(void) {
    if (new_address != NO_ADDRESS) {
        USB_ADDR_ENDP = new_address;
        new_address = NO_ADDRESS;
    } else if (answer_size || answer_is_short) {
        send_packet();
    }
}

void usb_control_received(void) {
    if (!takes_line_coding) {
        return;
    }
    takes_line_coding = false;
    if ((USB_BUFFER_OUT(0u) & USB_BUFFER_LENGTH) == sizeof line_coding) {
        for (uint8_t index = 0; index < sizeof line_coding; index++) {
            line_coding[index] = BUFFER[index];
        }
        wants_boot_loader |= line_coding[0] == (BOOT_LOADER_BAUD & 0xff) &&
                             line_coding[1] == BOOT_LOADER_BAUD >> 8 && !line_coding[2] &&
                             !line_coding[3];
    }
    accept();
}

/* ---- Requests ------------------------------------------------------------------------------- */

static bool get_endpoint_status(const struct setup *setup) {
    static uint8_t status[2];
    bool is_halted = false;
    if (setup->index & ENDPOINT_NUMBER && !usb_is_halted(setup->index, &is_halted)) {
        return false;
    }
    status[0] = is_halted;
    return reply(status, sizeof status, setup->length);
}

/* Halts an endpoint, or clears its halt. The control endpoint is never halted. */
static bool set_halted(const struct setup *setup, bool is_halted) {
    bool is_control = !(setup->index & ENDPOINT_NUMBER);
    return setup->value == ENDPOINT_HALT &&
           (is_control ? !is_halted : usb_set_halted(setup->index, is_halted)) && accept();
}

static bool get_descriptor(const struct setup *setup) {
    struct usb_descriptor descriptor = usb_find_descriptor(setup->value);
    return descriptor.size && reply(descriptor.bytes, descriptor.size, setup->length);
}

static bool set_configuration(const struct setup *setup) {
    if (setup->value > 1) {
        return false;
    }
    usb_set_configured(setup->value);
    return accept();
}

/* Resets the endpoints of the interface, although the interface has only one setting (USB 2.0
   9.4.10). */
static bool set_interface(const struct setup *setup) {
    return !setup->value && usb_restart_interface(setup->index) && accept();
}

static bool get_byte(const struct setup *setup, uint8_t value) {
    static uint8_t byte;
    byte = value;
    return reply(&byte, sizeof byte, setup->length);
}

static bool is_interface(uint16_t index) {
    return usb_is_configured() && index <= USB_DATA_INTERFACE;
}

/* Returns false if the data stage of a request has the wrong direction or length, or if the request
   addresses a different interface. */
static bool is_well_formed(const struct setup *setup) {
    uint16_t sent = setup->request == SET_LINE_CODING ? sizeof line_coding : 0;
    return (setup->request & FROM_DEVICE || setup->length == sent) &&
           (!(setup->request & CLASS) || setup->index == USB_CONTROL_INTERFACE);
}

/* Serves a request; returns false if the device does not support it. */
static bool serve(const struct setup *setup) {
    static const uint8_t no_status[2];
    switch (setup->request) {
    case GET_STATUS_OF_DEVICE:
        return reply(no_status, sizeof no_status, setup->length);
    case GET_STATUS_OF_INTERFACE:
        return is_interface(setup->index) && reply(no_status, sizeof no_status, setup->length);
    case GET_STATUS_OF_ENDPOINT:
        return get_endpoint_status(setup);
    case CLEAR_FEATURE_OF_ENDPOINT:
        return set_halted(setup, false);
    case SET_FEATURE_OF_ENDPOINT:
        return set_halted(setup, true);
    case SET_ADDRESS:
        if (setup->value > ADDRESS_MAX) {
            return false;
        }
        new_address = (uint8_t)setup->value;
        return accept();
    case GET_DESCRIPTOR:
        return get_descriptor(setup);
    case GET_CONFIGURATION:
        return get_byte(setup, usb_is_configured());
    case SET_CONFIGURATION:
        return set_configuration(setup);
    case GET_INTERFACE:
        return is_interface(setup->index) && get_byte(setup, 0);
    case SET_INTERFACE:
        return set_interface(setup);
    case SET_LINE_CODING:
        takes_line_coding = true;
        usb_arm(&USB_BUFFER_OUT(0u), USB_BUFFER_DATA1 | USB_CONTROL_PACKET_SIZE);
        return true;
    case GET_LINE_CODING:
        return reply(line_coding, sizeof line_coding, setup->length);
    case SET_CONTROL_LINE_STATE:
        usb_set_terminal(setup->value & DTR);
        return accept();
    case SEND_BREAK:
        return accept();
    default:
        return false;
    }
}

/* Begins a request. A setup packet ends the previous request, regardless of the stage of that
   request. */
void usb_control_begin(void) {
    const volatile uint32_t *words = (const volatile uint32_t *)USB_SETUP_PACKET;
    uint32_t first = words[0];
    uint32_t second = words[1];
    const struct setup setup = {
        .request = (uint16_t)((first & 0xff) << 8 | (first >> 8 & 0xff)),
        .value = (uint16_t)(first >> 16),
        .index = (uint16_t)second,
        .length = (uint16_t)(second >> 16),
    };
    usb_control_reset();
    data_toggle = USB_BUFFER_DATA1;
    if (!is_well_formed(&setup) || !serve(&setup)) {
        refuse();
    }
}
