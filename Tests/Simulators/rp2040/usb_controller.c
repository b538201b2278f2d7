#include "usb_controller.h"

#include "random.h"
#include "usb_endpoints.h"

#define NAME "USBCTRL"

// The bits of SIE_STATUS that are cleared by writing 1. The other bits are read-only.
static const uint32_t clearable = SIE_STATUS_SUSPENDED | SIE_STATUS_RESUME | SIE_STATUS_SETUP_REC |
                                  SIE_STATUS_TRANS_COMPLETE | SIE_STATUS_BUS_RESET |
                                  SIE_STATUS_CRC_ERROR | SIE_STATUS_RX_TIMEOUT |
                                  SIE_STATUS_ACK_REC | SIE_STATUS_DATA_SEQ_ERROR;

// ---- Interrupts ----

static uint32_t raw_interrupts(const struct usb_controller *usb) {
    static const struct {
        uint32_t status;
        uint32_t interrupt;
    } causes[] = {
        {SIE_STATUS_TRANS_COMPLETE, INT_TRANS_COMPLETE},
        {SIE_STATUS_DATA_SEQ_ERROR, INT_ERROR_DATA_SEQ},
        {SIE_STATUS_RX_TIMEOUT, INT_ERROR_RX_TIMEOUT},
        {SIE_STATUS_CRC_ERROR, INT_ERROR_CRC},
        {SIE_STATUS_BUS_RESET, INT_BUS_RESET},
        {SIE_STATUS_SUSPENDED, INT_DEV_SUSPEND},
        {SIE_STATUS_RESUME, INT_DEV_RESUME_FROM_HOST},
        {SIE_STATUS_SETUP_REC, INT_SETUP_REQ},
    };
    uint32_t raw = usb->buffer_status != 0 ? INT_BUFF_STATUS : 0;
    raw |= usb->has_sof ? INT_DEV_SOF : 0;
    for (size_t index = 0; index < sizeof causes / sizeof causes[0]; index++) {
        raw |= (usb->sie_status & causes[index].status) != 0 ? causes[index].interrupt : 0;
    }
    return raw;
}

static uint32_t interrupts(const struct usb_controller *usb) {
    return (raw_interrupts(usb) & usb->enabled) | usb->forced;
}

void usb_controller_update(struct usb_controller *usb) {
    machine_set_irq(usb->machine, IRQ_USBCTRL, interrupts(usb) != 0);
}

void usb_controller_raise(struct usb_controller *usb, uint32_t status) {
    usb->sie_status |= status;
    usb_controller_update(usb);
}

// ---- The connection ----

static bool has_vbus(const struct usb_controller *usb) {
    const uint32_t is_overridden = USB_PWR_VBUS_DETECT | USB_PWR_VBUS_DETECT_OVERRIDE_EN;
    return (usb->power & is_overridden) == is_overridden;
}

// Updates the pull-up of D+, which the host uses to detect the device.
static void update_connection(struct usb_controller *usb) {
    const uint32_t to_phy = USB_MUXING_TO_PHY | USB_MUXING_SOFTCON;
    bool is_attached = (usb->sie_control & SIE_CTRL_PULLUP_EN) != 0 && has_vbus(usb) &&
                       (usb->main_control & MAIN_CTRL_CONTROLLER_EN) != 0 &&
                       (usb->muxing & to_phy) == to_phy;
    if (is_attached != usb->is_attached) {
        usb->is_attached = is_attached;
        usb->listener.attached(usb->listener.owner, is_attached);
    }
}

// ---- Events on the bus ----

void usb_controller_bus_reset(struct usb_controller *usb) {
    usb->is_in_use = false;
    usb->is_suspended = false;
    usb_controller_raise(usb, SIE_STATUS_BUS_RESET);
}

void usb_controller_sof(struct usb_controller *usb, uint64_t when, uint32_t frame) {
    usb->frame = frame;
    usb->has_sof = true;
    usb->sof_at = when;
    usb_controller_update(usb);
}

void usb_controller_suspend(struct usb_controller *usb) {
    usb->is_suspended = true;
    usb_controller_raise(usb, SIE_STATUS_SUSPENDED);
}

void usb_controller_resume(struct usb_controller *usb) {
    if (usb->is_suspended) {
        usb->is_suspended = false;
        usb_controller_raise(usb, SIE_STATUS_RESUME);
    }
}

bool usb_controller_has_address(const struct usb_controller *usb, uint8_t address) {
    return usb->address == address;
}

void usb_controller_crc_error(struct usb_controller *usb) {
    usb_controller_abandon(usb);
    usb_controller_raise(usb, SIE_STATUS_CRC_ERROR);
}

// ---- Registers ----

static uint32_t sie_status(const struct usb_controller *usb) {
    uint32_t status = usb->sie_status;
    status |= has_vbus(usb) ? SIE_STATUS_VBUS_DETECTED : 0;
    return status | (usb->is_attached ? SIE_STATUS_LINE_STATE_J : 0);
}

static uint32_t peek(void *owner, uint32_t offset) {
    const struct usb_controller *usb = owner;
    switch (offset) {
    case ADDR_ENDP:
        return usb->address;
    case MAIN_CTRL:
        return usb->main_control;
    case SOF_RD:
        return usb->frame;
    case SIE_CTRL:
        return usb->sie_control;
    case SIE_STATUS:
        return sie_status(usb);
    case BUFF_STATUS:
        return usb->buffer_status;
    case EP_ABORT:
        return usb->aborted;
    case EP_ABORT_DONE:
        return usb->abort_done;
    case EP_STALL_ARM:
        return usb->stall_arm;
    case USB_MUXING:
        return usb->muxing;
    case USB_PWR:
        return usb->power;
    case INTR:
        return raw_interrupts(usb);
    case INTE:
        return usb->enabled;
    case INTF:
        return usb->forced;
    case INTS:
        return interrupts(usb);
    default: // BUFF_CPU_SHOULD_HANDLE: double buffering is not modeled
        return 0;
    }
}

static uint32_t read(void *owner, uint32_t offset) {
    struct usb_controller *usb = owner;
    switch (offset) {
    case SOF_RD:
        usb->has_sof = false;
        usb_controller_update(usb);
        return usb->frame;
    case ADDR_ENDP:
    case MAIN_CTRL:
    case SIE_CTRL:
    case SIE_STATUS:
    case BUFF_STATUS:
    case BUFF_CPU_SHOULD_HANDLE:
    case EP_ABORT:
    case EP_ABORT_DONE:
    case EP_STALL_ARM:
    case USB_MUXING:
    case USB_PWR:
    case INTR:
    case INTE:
    case INTF:
    case INTS:
        return peek(usb, offset);
    default:
        machine_not_modelled(usb->machine, NAME, offset);
    }
}

static void store(struct usb_controller *usb, uint32_t offset, uint32_t *stored, uint32_t value,
                  uint32_t bits) {
    machine_check_bits(usb->machine, NAME, offset, value, bits);
    *stored = value;
    update_connection(usb);
    usb_controller_update(usb);
}

// Writes EP_ABORT. On revisions before B2, an abort never ends (erratum RP2040-E2).
static void abort_buffers(struct usb_controller *usb, uint32_t buffers) {
    if (usb->machine->boot_rom.version < ROM_VERSION_B2) {
        machine_crash(usb->machine, "USB: EP_ABORT on a revision before B2 (RP2040-E2)");
    }
    usb->aborted = buffers;
    usb->abort_done |= buffers & ~usb->under_way;
    usb->listener.available(usb->listener.owner);
}

static void write(void *owner, uint32_t offset, uint32_t value) {
    struct usb_controller *usb = owner;
    switch (offset) {
    case ADDR_ENDP:
        store(usb, offset, &usb->address, value, ADDR_ENDP_ADDRESS);
        break;
    case MAIN_CTRL:
        store(usb, offset, &usb->main_control, value, MAIN_CTRL_CONTROLLER_EN);
        break;
    case SIE_CTRL:
        store(usb, offset, &usb->sie_control, value, SIE_CTRL_PULLUP_EN | SIE_CTRL_EP0_INT_1BUF);
        break;
    case SIE_STATUS:
        usb->sie_status &= ~(value & clearable);
        usb_controller_update(usb);
        break;
    case BUFF_STATUS:
        usb->buffer_status &= ~value;
        usb_controller_update(usb);
        break;
    case EP_ABORT:
        abort_buffers(usb, value);
        break;
    case EP_ABORT_DONE:
        usb->abort_done &= ~value;
        break;
    case EP_STALL_ARM:
        store(usb, offset, &usb->stall_arm, value, EP_STALL_ARM_IN | EP_STALL_ARM_OUT);
        usb->listener.available(usb->listener.owner);
        break;
    case USB_MUXING:
        store(usb, offset, &usb->muxing, value, USB_MUXING_TO_PHY | USB_MUXING_SOFTCON);
        break;
    case USB_PWR:
        store(usb, offset, &usb->power, value,
              USB_PWR_VBUS_DETECT | USB_PWR_VBUS_DETECT_OVERRIDE_EN);
        break;
    case INTE:
        store(usb, offset, &usb->enabled, value, INT_MODELLED);
        break;
    case INTF:
        store(usb, offset, &usb->forced, value, INT_MODELLED);
        break;
    default:
        machine_not_modelled(usb->machine, NAME, offset);
    }
}

// Resets the controller, except for the DPRAM, which keeps its contents.
static void reset(void *owner) {
    struct usb_controller *usb = owner;
    usb->address = 0;
    usb->main_control = 0;
    usb->sie_control = 0;
    usb->sie_status = 0;
    usb->buffer_status = 0;
    usb->stall_arm = 0;
    usb->aborted = 0;
    usb->abort_done = 0;
    usb->under_way = 0;
    usb->muxing = 0;
    usb->power = 0;
    usb->enabled = 0;
    usb->forced = 0;
    usb->frame = 0;
    usb->has_sof = false;
    usb->is_in_use = false;
    usb->is_suspended = false;
    update_connection(usb);
    usb_controller_update(usb);
}

void usb_controller_scramble(struct usb_controller *usb, uint64_t seed) {
    struct random random = random_from(seed);
    for (size_t index = 0; index < USB_DPRAM_SIZE; index++) {
        usb->dpram.bytes[index] = random_byte(&random);
    }
}

void usb_controller_init(struct usb_controller *usb, struct machine *machine,
                         const struct usb_listener *listener) {
    *usb = (struct usb_controller){.machine = machine, .listener = *listener};
    static const uint16_t write_clears[] = {SIE_STATUS, BUFF_STATUS, EP_ABORT_DONE, NO_REGISTER};
    const struct block_supply supply = {RESETS_USBCTRL, BLOCK_CLOCK_USB};
    machine_add_registers(machine, &(struct registers){.name = NAME,
                                                       .base = USB_BASE,
                                                       .supply = supply,
                                                       .read = read,
                                                       .peek = peek,
                                                       .write = write,
                                                       .reset = reset,
                                                       .owner = usb,
                                                       .write_clears = write_clears});
    machine_add_memory(machine, &(struct memory){.name = "USB DPRAM",
                                                 .base = USB_DPRAM_BASE,
                                                 .size = USB_DPRAM_SIZE,
                                                 .bytes = usb->dpram.bytes,
                                                 .supply = supply,
                                                 .written = usb_endpoints_written,
                                                 .owner = usb});
}
