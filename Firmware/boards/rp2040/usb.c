#include "usb.h"

#include "board.h"
#include "interrupts.h"
#include "line.h"
#include "rp2040.h"
#include "usb_control.h"
#include "usb_descriptors.h"

/* The offsets of buffers in the controller's memory, after the buffer of the control endpoint. */
#define OFFSET(buffer) ((uint32_t)(buffer)-USB_DPRAM)
#define NOTIFICATION_BUFFER 0x200u

/* The workaround for erratum RP2040-E15: a bulk endpoint that is armed in the last 200 us of a
   frame can hang the controller, because its token may be late. During that time, a packet waits
   for the next frame. The time is measured from the interrupt at the start of a frame; this
   interrupt may be late, and the limit includes a margin for this delay. */
#define FRAME_SAFE_US (800u - 100u)
#define FRAME_OVER_US 1000u

/* The first revision of the chip on which ABORT works, and the maximum number of tests for the end
   of ABORT that the interrupt makes. These tests take longer than a packet. */
#define ABORTING_VERSION 3
#define ABORT_POLLS 1000

/* The state of an endpoint in one direction. */
struct endpoint {
    volatile uint32_t *buffer; /**< its buffer control register */
    bool is_armed;
    bool is_halted;
    uint32_t data_toggle; /**< data toggle of the next packet: 0 or USB_BUFFER_DATA1 */
};

static struct endpoint data_in = {.buffer = &USB_BUFFER_IN(USB_DATA_ENDPOINT)};
static struct endpoint data_out = {.buffer = &USB_BUFFER_OUT(USB_DATA_ENDPOINT)};
static struct endpoint notification = {.buffer = &USB_BUFFER_IN(USB_NOTIFICATION_ENDPOINT)};

static bool is_configured;
static bool is_suspended;
static bool has_terminal; /**< the host has opened the port (DTR) */
static uint32_t frame_began_us;
static uint32_t filled; /**< the control word of a packet to the host that has not been armed yet; 0
                           if there is no such packet */

/* ---- Packets ----------------------------------------------------------------------------- */

/* Passes a buffer to the controller. AVAILABLE is written last, because the buffer must be complete
   before it is available (4.1.2.5.1). The two writes are far enough apart, because clk_usb and
   clk_sys have the same frequency. */
void usb_arm(volatile uint32_t *buffer, uint32_t control) {
    *buffer = control;
    *buffer = control | USB_BUFFER_AVAILABLE;
}

/* Takes a buffer back from the controller. ABORT ends after the packet in transmission, if any. On
   revisions before B2, ABORT never ends (erratum RP2040-E2), so the buffer is taken back
   immediately; this is safe, because during that time the host transfers its request, and therefore
   no packet of the endpoint. */
void usb_take_back(volatile uint32_t *buffer) {
    uint32_t bit = USB_BUFFER_BIT(buffer);
    bool aborts = (*buffer & USB_BUFFER_AVAILABLE) && ROM_VERSION >= ABORTING_VERSION;
    if (aborts) {
        USB_EP_ABORT = bit;
        for (uint16_t poll = 0; poll < ABORT_POLLS && !(USB_EP_ABORT_DONE & bit); poll++) {
        }
    }
    *buffer = 0;
    USB_BUFF_STATUS = bit;
    if (aborts) {
        USB_EP_ABORT_DONE = bit;
        USB_EP_ABORT = 0;
    }
}

static void arm(struct endpoint *endpoint, uint32_t control) {
    usb_arm(endpoint->buffer, control | endpoint->data_toggle);
    endpoint->data_toggle ^= USB_BUFFER_DATA1;
    endpoint->is_armed = true;
}

static void disarm(struct endpoint *endpoint) {
    usb_take_back(endpoint->buffer);
    endpoint->is_armed = false;
    endpoint->is_halted = false;
    endpoint->data_toggle = 0;
    if (endpoint == &data_in) {
        filled = 0;
        line_end_packet(false);
    }
}

static bool may_arm(const struct endpoint *endpoint) {
    return is_configured && !endpoint->is_armed && !endpoint->is_halted;
}

/* Arms the endpoint with the packet in its buffer. No interrupt may occur between the test and the
   arming. */
static void arm_filled(void) {
    BRIDGE_CRITICAL_ENTER
    uint32_t frame_us = board_now_us() - frame_began_us;
    if (frame_us < FRAME_SAFE_US || frame_us > FRAME_OVER_US) {
        arm(&data_in, filled);
        filled = 0;
    }
    BRIDGE_CRITICAL_EXIT
}

bool usb_can_send(void) { return !filled && may_arm(&data_in); }

void usb_send_packet(uint8_t size) {
    filled = USB_BUFFER_FULL | size;
    arm_filled();
}

void usb_accept_packet(void) {
    if (may_arm(&data_out)) {
        arm(&data_out, USB_PACKET_SIZE);
    }
}

void usb_keep_interrupts(void) {
    USB_INTE = USB_INT_BUFF_STATUS | USB_INT_BUS_RESET | USB_INT_SUSPEND | USB_INT_RESUME |
               USB_INT_SETUP_REQ | USB_INT_DEV_SOF;
    NVIC_ISER = 1u << USBCTRL_IRQ | 1u << SERVICE_IRQ;
}

void usb_request_service(void) { NVIC_ISPR = 1u << SERVICE_IRQ; }

void service_interrupt(void) { line_service(); }

static void end_packets(uint32_t now_us) {
    uint32_t ended = USB_BUFF_STATUS;
    USB_BUFF_STATUS = ended;
    if (ended & USB_BUFF_STATUS_IN(USB_DATA_ENDPOINT)) {
        data_in.is_armed = false;
        line_end_packet(true);
    }
    if (ended & USB_BUFF_STATUS_OUT(USB_DATA_ENDPOINT)) {
        data_out.is_armed = false;
        line_receive_packet((uint8_t)(*data_out.buffer & USB_BUFFER_LENGTH), now_us);
    }
    if (ended & USB_BUFF_STATUS_IN(0u)) {
        usb_control_sent();
    }
    if (ended & USB_BUFF_STATUS_OUT(0u)) {
        usb_control_received();
    }
}

/* ---- Requests of the host ----------------------------------------------------------------- */

static void update_line(void) { line_set_open(is_configured && has_terminal && !is_suspended); }

void usb_set_configured(bool configured) {
    is_configured = configured;
    has_terminal = false;
    disarm(&data_in);
    disarm(&data_out);
    disarm(&notification);
    USB_EP_CONTROL_IN(USB_NOTIFICATION_ENDPOINT) =
        USB_EP_ENABLE | USB_EP_INT_EACH | USB_EP_INTERRUPT | NOTIFICATION_BUFFER;
    USB_EP_CONTROL_IN(USB_DATA_ENDPOINT) =
        USB_EP_ENABLE | USB_EP_INT_EACH | USB_EP_BULK | OFFSET(USB_PACKET_TO_HOST);
    USB_EP_CONTROL_OUT(USB_DATA_ENDPOINT) =
        USB_EP_ENABLE | USB_EP_INT_EACH | USB_EP_BULK | OFFSET(USB_PACKET_FROM_HOST);
    update_line();
}

bool usb_is_configured(void) { return is_configured; }

void usb_set_terminal(bool ready) {
    has_terminal = ready;
    update_line();
}

static struct endpoint *endpoint_at(uint16_t address) {
    switch (address) {
    case USB_IN | USB_NOTIFICATION_ENDPOINT:
        return &notification;
    case USB_IN | USB_DATA_ENDPOINT:
        return &data_in;
    case USB_DATA_ENDPOINT:
        return &data_out;
    default:
        return 0;
    }
}

bool usb_is_halted(uint16_t address, bool *is_halted) {
    const struct endpoint *endpoint = endpoint_at(address);
    *is_halted = endpoint && endpoint->is_halted;
    return is_configured && endpoint;
}

/* Halts an endpoint, or clears its halt. A packet that is waiting for the host is discarded, and
   the data toggle restarts, as the host expects (USB 2.0 9.4.5). */
bool usb_set_halted(uint16_t address, bool is_halted) {
    struct endpoint *endpoint = endpoint_at(address);
    if (!is_configured || !endpoint) {
        return false;
    }
    disarm(endpoint);
    endpoint->is_halted = is_halted;
    if (is_halted) {
        *endpoint->buffer = USB_BUFFER_STALL;
    }
    return true;
}

bool usb_restart_interface(uint16_t interface) {
    switch (interface) {
    case USB_CONTROL_INTERFACE:
        return usb_set_halted(USB_IN | USB_NOTIFICATION_ENDPOINT, false);
    case USB_DATA_INTERFACE:
        return usb_set_halted(USB_IN | USB_DATA_ENDPOINT, false) &&
               usb_set_halted(USB_DATA_ENDPOINT, false);
    default:
        return false;
    }
}

/* ---- The bus ------------------------------------------------------------------------------- */

static void reset_bus(void) {
    USB_SIE_STATUS = USB_SIE_STATUS_BUS_RESET;
    USB_BUFF_STATUS = UINT32_MAX;
    USB_ADDR_ENDP = 0;
    is_suspended = false;
    usb_control_reset();
    usb_set_configured(false);
}

/* Records a suspended bus. On a board with its own power supply, a disconnected cable appears as a
   suspended bus. */
static void set_suspended(bool suspended) {
    is_suspended = suspended;
    update_line();
}

static void begin_frame(uint32_t now_us) {
    (void)USB_SOF_RD;
    frame_began_us = now_us;
    if (is_suspended) {
        set_suspended(false);
    }
    if (filled) {
        arm_filled();
    }
}

void usb_interrupt(void) {
    uint32_t now_us = board_now_us();
    uint32_t causes = USB_INTS;
    if (causes & USB_INT_BUS_RESET) {
        reset_bus();
    } else if (causes & USB_INT_BUFF_STATUS) {
        end_packets(now_us);
    }
    if (causes & USB_INT_SETUP_REQ) {
        USB_SIE_STATUS = USB_SIE_STATUS_SETUP_REC;
        usb_control_begin();
    }
    if (causes & USB_INT_SUSPEND) {
        USB_SIE_STATUS = USB_SIE_STATUS_SUSPENDED;
        set_suspended(true);
    }
    if (causes & USB_INT_RESUME) {
        USB_SIE_STATUS = USB_SIE_STATUS_RESUME;
        set_suspended(false);
    }
    if (causes & USB_INT_DEV_SOF) {
        begin_frame(now_us);
    }
    line_service();
}

void usb_start(void) {
    resets_cycle(RESETS_USBCTRL);
    for (uint32_t offset = 0; offset < USB_DPRAM_SIZE; offset += sizeof(uint32_t)) {
        REGISTER(USB_DPRAM + offset) = 0;
    }
    USB_MUXING = USB_MUXING_TO_PHY | USB_MUXING_SOFTCON;
    USB_PWR = USB_PWR_VBUS_DETECT | USB_PWR_VBUS_DETECT_OVERRIDE_EN;
    USB_MAIN_CTRL = USB_MAIN_CTRL_ENABLE;
    NVIC_IPR1 = NVIC_PRIORITY(USBCTRL_IRQ, 2);
    NVIC_IPR7 = NVIC_PRIORITY(SERVICE_IRQ, 2);
    usb_keep_interrupts();
    USB_SIE_CTRL = USB_SIE_CTRL_EP0_INT_1BUF | USB_SIE_CTRL_PULLUP_EN;
}
