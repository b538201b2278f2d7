#include "usb_device.h"

#include <string.h>

#define USB 0x50110000u
#define BULK (EP_CONTROL_ENABLE | EP_CONTROL_INTERRUPT_PER_BUFFER | 2u << 26)
#define INTERRUPT (EP_CONTROL_ENABLE | EP_CONTROL_INTERRUPT_PER_BUFFER | 3u << 26)
#define PLACE_IN 0x180u
#define PLACE_OUT 0x1C0u
#define PLACE_NOTIFICATION 0x200u
#define LATE_FROM (800u * CYCLES_PER_US)
#define STEP_CYCLES (20u * CYCLES_PER_US)

const uint8_t usb_device_descriptor[18] = {18,   1,    0x00, 0x02, 0xEF, 2, 1, 64, 0x8A,
                                           0x2E, 0x0A, 0x00, 0x00, 0x01, 1, 2, 3,  1};

const uint8_t usb_device_configuration[75] = {
    9, 2,    75,   0,    2,    1,  0,  0x80, 50, // configuration
    8, 11,   0,    2,    2,    2,  0,  0,        // interface association
    9, 4,    0,    0,    1,    2,  2,  0,    0,  // control interface
    5, 0x24, 0,    0x10, 0x01,                   // header
    5, 0x24, 1,    0,    1,                      // call management
    4, 0x24, 2,    2,                            // ACM
    5, 0x24, 6,    0,    1,                      // union
    7, 5,    0x81, 3,    8,    0,  16,           // notifications
    9, 4,    1,    0,    2,    10, 0,  0,    0,  // data interface
    7, 5,    0x02, 2,    64,   0,  0,            // to the device
    7, 5,    0x82, 2,    64,   0,  0,            // from the device
};

static const uint8_t wrong_configuration[75] = {9, 2, 75, 0, 2, 1, 0, 0x80, 50, 0};
static const uint8_t languages[] = {4, 3, 0x09, 0x04};
static const uint8_t string[] = {6, 3, 'A', 0, 'B', 0};

static void arm(struct usb_device *device, uint32_t offset, uint32_t control) {
    put(device->bench, USB_DPRAM_BASE + offset, control);
    put(device->bench, USB_DPRAM_BASE + offset, control | BUFFER_AVAILABLE);
}

static uint32_t toggle(uint32_t *is_data1) {
    uint32_t bit = *is_data1 != 0 ? BUFFER_DATA1 : 0;
    *is_data1 ^= 1;
    return bit;
}

// ---- Endpoint 0 ----

static void send_answer(struct usb_device *device) {
    uint32_t size = device->answer_size < PACKET_MAX ? device->answer_size : PACKET_MAX;
    for (uint32_t byte = 0; byte < size; byte++) {
        bus_write(&device->bench->board.own.machine, USB_DPRAM_BASE + EP0_BUFFER + byte, 1,
                  device->answer[byte]);
    }
    device->answer += size;
    device->answer_size -= size;
    arm(device, BUFFER_CONTROL(0, false),
        BUFFER_FULL | (device->is_data1 ? BUFFER_DATA1 : 0) | size);
    device->is_data1 = device->fault == USB_DEVICE_SAME_DATA ? false : !device->is_data1;
}

static void reply(struct usb_device *device, const uint8_t *bytes, uint32_t size, uint32_t wanted) {
    device->answer = bytes;
    device->answer_size = size < wanted ? size : wanted;
    arm(device, BUFFER_CONTROL(0, true), BUFFER_DATA1 | PACKET_MAX);
    send_answer(device);
}

static void get_descriptor(struct usb_device *device, const uint8_t *setup) {
    uint32_t wanted = setup[6] | (uint32_t)setup[7] << 8;
    bool is_wrong = device->fault == USB_DEVICE_WRONG_LENGTH;
    if (setup[3] == DESCRIPTOR_DEVICE) {
        reply(device, usb_device_descriptor, sizeof usb_device_descriptor, wanted);
    } else if (setup[3] == DESCRIPTOR_CONFIGURATION) {
        reply(device, is_wrong ? wrong_configuration : usb_device_configuration,
              sizeof usb_device_configuration, wanted);
    } else if (setup[2] == 0) {
        reply(device, languages, sizeof languages, wanted);
    } else {
        reply(device, string, sizeof string, wanted);
    }
}

static void configure(struct usb_device *device) {
    put(device->bench, USB_DPRAM_BASE + EP_CONTROL(1, false), INTERRUPT | PLACE_NOTIFICATION);
    put(device->bench, USB_DPRAM_BASE + EP_CONTROL(2, false), BULK | PLACE_IN);
    put(device->bench, USB_DPRAM_BASE + EP_CONTROL(2, true), BULK | PLACE_OUT);
    device->in_data1 = 0;
    device->out_data1 = 0;
    arm(device, BUFFER_CONTROL(2, true), toggle(&device->out_data1) | PACKET_MAX);
}

static void set_address(struct usb_device *device, uint32_t address) {
    if (device->fault == USB_DEVICE_EARLY_ADDRESS) {
        put(device->bench, USB + ADDR_ENDP, address);
    } else {
        device->new_address = address;
    }
}

static void stall(struct usb_device *device) {
    put(device->bench, USB_DPRAM_BASE + BUFFER_CONTROL(0, false), BUFFER_STALL);
    put(device->bench, USB + EP_STALL_ARM, EP_STALL_ARM_IN);
}

static void serve_setup(struct usb_device *device) {
    const uint8_t *setup = device->bench->board.own.usb.dpram.bytes;
    memcpy(device->setups[device->requests++ % 64], setup, 8);
    put(device->bench, USB + SIE_STATUS, SIE_STATUS_SETUP_REC);
    device->is_data1 = device->fault != USB_DEVICE_SAME_DATA;
    if (device->fault == USB_DEVICE_STALLS) {
        stall(device);
    } else if (setup[1] == 6) {
        get_descriptor(device, setup);
    } else if (setup[1] == 0x20) {
        arm(device, BUFFER_CONTROL(0, true), BUFFER_DATA1 | PACKET_MAX);
    } else {
        if (setup[1] == 5) {
            set_address(device, setup[2]);
        } else if (setup[1] == 9) {
            configure(device);
        } else if (setup[1] == 0x22) {
            device->lines = setup[2];
        }
        reply(device, NULL, 0, 0);
    }
}

static void end_control_in(struct usb_device *device) {
    if (device->new_address != 0) {
        put(device->bench, USB + ADDR_ENDP, device->new_address);
        device->new_address = 0;
    } else if (device->answer_size != 0) {
        send_answer(device);
    }
}

static void end_control_out(struct usb_device *device) {
    uint32_t control = get(device->bench, USB_DPRAM_BASE + BUFFER_CONTROL(0, true));
    if ((control & BUFFER_LENGTH) == sizeof device->line_coding) {
        memcpy(device->line_coding, &device->bench->board.own.usb.dpram.bytes[EP0_BUFFER],
               sizeof device->line_coding);
        device->is_data1 = true;
        reply(device, NULL, 0, 0);
    }
}

// ---- Endpoint 2 ----

static bool may_send(const struct usb_device *device) {
    uint32_t control = get(device->bench, USB_DPRAM_BASE + BUFFER_CONTROL(2, false));
    uint64_t since_sof = device->bench->board.own.machine.now - device->bench->board.own.usb.sof_at;
    return (control & BUFFER_AVAILABLE) == 0 && since_sof < LATE_FROM;
}

// Sends a received packet back after the previous packet has been sent, if enough time is left in
// the frame.
static void echo(struct usb_device *device) {
    uint32_t size = get(device->bench, USB_DPRAM_BASE + BUFFER_CONTROL(2, true)) & BUFFER_LENGTH;
    device->received += size;
    device->empty += size == 0;
    while (size != 0 && !may_send(device)) {
        bench_run(device->bench, STEP_CYCLES);
    }
    for (uint32_t word = 0; word < size; word += 4) {
        put(device->bench, USB_DPRAM_BASE + PLACE_IN + word,
            get(device->bench, USB_DPRAM_BASE + PLACE_OUT + word));
    }
    if (size != 0) {
        arm(device, BUFFER_CONTROL(2, false), BUFFER_FULL | toggle(&device->in_data1) | size);
    }
    arm(device, BUFFER_CONTROL(2, true), toggle(&device->out_data1) | PACKET_MAX);
}

static void serve(struct usb_device *device) {
    uint32_t status = get(device->bench, USB + SIE_STATUS);
    if ((status & SIE_STATUS_SUSPENDED) != 0) {
        put(device->bench, USB + SIE_STATUS, SIE_STATUS_SUSPENDED);
        device->suspensions++;
    }
    if ((status & SIE_STATUS_BUS_RESET) != 0) {
        put(device->bench, USB + SIE_STATUS, SIE_STATUS_BUS_RESET);
        put(device->bench, USB + ADDR_ENDP, 0);
        for (uint32_t offset = BUFFER_CONTROLS; offset < EP0_BUFFER; offset += 4) {
            put(device->bench, USB_DPRAM_BASE + offset, 0);
        }
    }
    uint32_t ended = get(device->bench, USB + BUFF_STATUS);
    put(device->bench, USB + BUFF_STATUS, ended);
    if ((ended & 1u << 0) != 0) {
        end_control_in(device);
    }
    if ((ended & 1u << 1) != 0) {
        end_control_out(device);
    }
    if ((ended & 1u << 5) != 0) {
        echo(device);
    }
    if ((status & SIE_STATUS_SETUP_REC) != 0) {
        serve_setup(device);
    }
}

void usb_device_run(struct usb_device *device, uint64_t cycles) {
    uint64_t until = device->bench->board.own.machine.now + cycles;
    while (device->bench->board.own.machine.now < until) {
        bench_run(device->bench, STEP_CYCLES);
        serve(device);
    }
}

void usb_device_start(struct usb_device *device, struct bench *bench, enum usb_device_fault fault) {
    *device = (struct usb_device){.bench = bench, .fault = fault};
    for (uint32_t offset = 0; offset < USB_DPRAM_SIZE; offset += 4) {
        put(bench, USB_DPRAM_BASE + offset, 0);
    }
    put(bench, USB + USB_MUXING, USB_MUXING_TO_PHY | USB_MUXING_SOFTCON);
    put(bench, USB + USB_PWR, USB_PWR_VBUS_DETECT | USB_PWR_VBUS_DETECT_OVERRIDE_EN);
    put(bench, USB + MAIN_CTRL, MAIN_CTRL_CONTROLLER_EN);
    put(bench, USB + SIE_CTRL, SIE_CTRL_EP0_INT_1BUF | SIE_CTRL_PULLUP_EN);
}
