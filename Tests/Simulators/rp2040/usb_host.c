#include "usb_host.h"

#include "usb_transaction.h"

#define RESET_SEEN_CYCLES 120u // SE0 for 2.5 us (7.1.7.5)
#define IDLE_CYCLES (3u * CYCLES_PER_MS)
#define RESUME_CYCLES (20u * CYCLES_PER_MS)
#define RECOVERY_FRAMES 10u // the recovery time after a resume (7.1.7.7)

// ---- The bus ----

static void watch_for_idle(struct usb_host *host, uint64_t when) {
    schedule_at(host->schedule, &host->idle, when + IDLE_CYCLES);
}

static void on_idle(void *owner, uint64_t when) {
    (void)when;
    struct usb_host *host = owner;
    usb_controller_suspend(host->device);
}

static void end_transfers(struct usb_host *host) {
    usb_transaction_abandon(host);
    for (size_t index = 0; index < host->pipe_count; index++) {
        while (host->pipes[index].first != NULL) {
            usb_transaction_end_transfer(&host->pipes[index], USB_GONE);
        }
    }
}

static void set_up_control_pipe(struct usb_host *host) {
    host->address = 0;
    host->pipe_count = 1;
    host->pipes[0] = (struct usb_pipe){.kind = USB_CONTROL, .packet_max = PACKET_MAX};
}

static void stop_bus(struct usb_host *host, enum usb_bus_state state) {
    host->state = state;
    host->wants_suspend = false;
    host->has_traffic = false;
    schedule_cancel(host->schedule, &host->frame_begins);
    schedule_cancel(host->schedule, &host->state_ends);
}

// Returns true if a device is connected, which requires the pull-up of the device and a cable. To
// the device, an unplugged cable appears as a host that does not send.
static void update_connection(struct usb_host *host) {
    uint64_t now = host->machine->now;
    host->when = now;
    bool is_connected = host->is_plugged && host->device->is_attached;
    if (host->device->is_attached) {
        watch_for_idle(host, now);
    } else {
        schedule_cancel(host->schedule, &host->idle);
    }
    if (is_connected == host->is_connected) {
        return;
    }
    host->is_connected = is_connected;
    stop_bus(host, USB_BUS_OFF);
    end_transfers(host);
    host->user.connected(host->user.owner, is_connected, now);
}

static void on_attached(void *owner, bool is_attached) {
    (void)is_attached; // the function reads the device's state itself
    update_connection(owner);
}

static void on_available(void *owner) { usb_transaction_device_is_ready(owner); }

struct usb_listener usb_host_listener(struct usb_host *host) {
    return (struct usb_listener){.attached = on_attached, .available = on_available, .owner = host};
}

void usb_host_plug(struct usb_host *host, bool on) {
    host->is_plugged = on;
    update_connection(host);
}

// ---- Frames ----

static void start_frames(struct usb_host *host, uint64_t when) {
    host->state = USB_BUS_RUNS;
    host->frame_due = (double)when;
    schedule_at(host->schedule, &host->frame_begins, when);
}

// Handles the end of SOF.
static void on_frame(void *owner, uint64_t when) {
    struct usb_host *host = owner;
    host->frame++;
    host->frame_due += host->frame_length;
    host->frame_ends = (uint64_t)host->frame_due;
    host->has_traffic = false;
    if (host->wants_suspend) {
        stop_bus(host, USB_BUS_SUSPENDED);
        return;
    }
    schedule_at(host->schedule, &host->frame_begins, host->frame_ends);
    if (host->stalled_frames != 0) {
        host->stalled_frames--;
        return;
    }
    usb_controller_resume(host->device);
    usb_controller_sof(host->device, when, host->frame & 0x7FF);
    watch_for_idle(host, when);
    if (host->frame >= host->quiet_until_frame) {
        usb_transaction_begin_frame(host, when);
    }
}

void usb_host_suspend(struct usb_host *host) { host->wants_suspend = host->state == USB_BUS_RUNS; }

void usb_host_resume(struct usb_host *host) {
    host->wants_suspend = false;
    if (host->state != USB_BUS_SUSPENDED) {
        return;
    }
    uint64_t now = host->machine->now;
    host->state = USB_BUS_RESUMES;
    schedule_cancel(host->schedule, &host->idle);
    usb_controller_resume(host->device);
    schedule_at(host->schedule, &host->state_ends, now + RESUME_CYCLES);
}

void usb_host_stall(struct usb_host *host, uint64_t frames) { host->stalled_frames = frames; }

// ---- Reset ----

void usb_host_reset(struct usb_host *host, uint64_t cycles) {
    uint64_t now = host->machine->now;
    stop_bus(host, USB_BUS_RESETS);
    end_transfers(host);
    set_up_control_pipe(host);
    schedule_cancel(host->schedule, &host->idle);
    schedule_at(host->schedule, &host->reset_is_seen, now + RESET_SEEN_CYCLES);
    schedule_at(host->schedule, &host->state_ends, now + cycles);
}

static void on_reset_seen(void *owner, uint64_t when) {
    (void)when;
    struct usb_host *host = owner;
    if (host->state == USB_BUS_RESETS) {
        usb_controller_bus_reset(host->device);
    }
}

static void on_state_end(void *owner, uint64_t when) {
    struct usb_host *host = owner;
    host->when = when;
    bool was_reset = host->state == USB_BUS_RESETS;
    host->quiet_until_frame = was_reset ? 0 : host->frame + RECOVERY_FRAMES;
    start_frames(host, when);
    if (was_reset) {
        host->user.reset_done(host->user.owner, when);
    }
}

// ---- Transfers ----

struct usb_pipe *usb_host_open_pipe(struct usb_host *host, const struct usb_pipe *pipe) {
    struct usb_pipe *opened = &host->pipes[host->pipe_count++];
    *opened = *pipe;
    return opened;
}

struct usb_pipe *usb_host_find_pipe(struct usb_host *host, uint32_t number, bool is_in) {
    for (size_t index = 0; index < host->pipe_count; index++) {
        struct usb_pipe *pipe = &host->pipes[index];
        if (pipe->number == number && (number == 0 || pipe->is_in == is_in)) {
            return pipe;
        }
    }
    return NULL;
}

void usb_host_submit(struct usb_host *host, struct usb_pipe *pipe, struct usb_transfer *transfer,
                     bool at_once) {
    transfer->is_pending = true;
    transfer->done = 0;
    transfer->stage = pipe->kind == USB_CONTROL ? USB_STAGE_SETUP : USB_STAGE_DATA;
    transfer->frame = host->frame + (at_once ? 0 : 1);
    transfer->next = NULL;
    struct usb_transfer **end = &pipe->first;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = transfer;
}

void usb_host_cancel(struct usb_host *host, struct usb_pipe *pipe, struct usb_transfer *transfer) {
    if (host->phase != USB_PHASE_NONE && host->pipe == pipe && pipe->first == transfer) {
        usb_transaction_abandon(host);
    }
    struct usb_transfer **place = &pipe->first;
    while (*place != transfer) {
        place = &(*place)->next;
    }
    *place = transfer->next;
    transfer->is_pending = false;
    transfer->complete(transfer->owner, transfer, USB_GONE);
}

void usb_host_damage(struct usb_host *host, uint64_t transactions) { host->damages = transactions; }

bool usb_host_is_busy(const struct usb_host *host) {
    return host->phase != USB_PHASE_NONE && host->pipe->kind == USB_BULK;
}

void usb_host_init(struct usb_host *host, struct machine *machine, struct usb_controller *device,
                   const struct usb_user *user, int32_t fast_ppm) {
    *host = (struct usb_host){.machine = machine,
                              .schedule = machine->schedule,
                              .device = device,
                              .user = *user,
                              .frame_length = CYCLES_PER_MS * (1 + fast_ppm / 1e6),
                              .next_kind = USB_DAMAGE_DATA};
    set_up_control_pipe(host);
    schedule_add(machine->schedule, &host->state_ends, on_state_end, host);
    schedule_add(machine->schedule, &host->reset_is_seen, on_reset_seen, host);
    schedule_add(machine->schedule, &host->idle, on_idle, host);
    schedule_add(machine->schedule, &host->frame_begins, on_frame, host);
    schedule_add(machine->schedule, &host->phase_ends, usb_transaction_phase_ends, host);
}
