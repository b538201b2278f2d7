// A computer at the other end of the USB cable, up to the level of transfers. The model comprises
// the state of the bus, frames of 1 ms, transactions with their times at full speed, and retries
// (USB 2.0 sections 7 and 8).
//
// A submitted transfer begins with the next frame. Endpoints are polled without pauses while there
// is time in the frame. Bit stuffing is not modeled.
#ifndef USB_HOST_H
#define USB_HOST_H

#include "usb_controller.h"

#define USB_PIPES 8u

enum usb_pipe_kind { USB_CONTROL, USB_INTERRUPT, USB_BULK };

// The result of a transfer.
enum usb_status {
    USB_DONE,
    USB_STALLED,
    USB_FAILED, // three consecutive errors on the bus
    USB_GONE,   // the bus was reset, or the device was disconnected
};

// The stages of a control transfer. Other transfers have only the data stage.
enum usb_stage { USB_STAGE_SETUP, USB_STAGE_DATA, USB_STAGE_STATUS };

struct usb_transfer {
    uint8_t setup[SETUP_PACKET_SIZE]; // only for a control transfer
    uint8_t *data;
    size_t length;   // the number of bytes to send, or the maximum number of bytes to receive
    bool ends_short; // true if the last packet must not be full; an empty packet is added if
                     // necessary
    size_t done;
    void (*complete)(void *owner, struct usb_transfer *transfer, enum usb_status status);
    void *owner;

    // The following members are private to usb_host.c.
    bool is_pending;
    uint64_t frame; // the first frame in which the transfer may begin
    enum usb_stage stage;
    struct usb_transfer *next;
};

struct usb_pipe {
    enum usb_pipe_kind kind;
    uint8_t number; // the number of the endpoint
    bool is_in;
    uint16_t packet_max;
    uint32_t interval; // the polling interval of USB_INTERRUPT, in frames

    // The following members are private to usb_host.c.
    struct usb_transfer *first;
    uint64_t due_frame; // the frame in which USB_INTERRUPT is next polled
    bool is_data1;      // the data toggle of the next packet
    bool repeats;       // true if an ACK was lost, so that the device may repeat the packet or may
                        // already have it
    bool has_nak;       // true while the pipe waits until the device is ready
    unsigned errors;    // the number of consecutive errors
};

enum usb_bus_state {
    USB_BUS_OFF, // there is no device, or the host has not reset the device
    USB_BUS_RESETS,
    USB_BUS_RUNS,
    USB_BUS_SUSPENDED,
    USB_BUS_RESUMES,
};

enum usb_phase { USB_PHASE_NONE, USB_PHASE_TOKEN, USB_PHASE_REST };

// The packet of a transaction that is damaged.
enum usb_damage { USB_DAMAGE_NONE, USB_DAMAGE_DATA, USB_DAMAGE_HANDSHAKE, USB_DAMAGE_TOKEN };

// The functions that notify the user of the host.
struct usb_user {
    void (*connected)(void *owner, bool is_connected, uint64_t when);
    void (*reset_done)(void *owner, uint64_t when);
    void *owner;
};

struct usb_host {
    struct machine *machine;
    struct schedule *schedule;
    struct usb_controller *device;
    struct usb_user user;
    uint64_t when; // the cycle of the current event on the bus
    bool is_plugged;
    bool is_connected; // true if the cable is plugged in and the device pulls D+ up
    enum usb_bus_state state;
    struct event state_ends;
    struct event reset_is_seen; // the device detects the reset
    struct event idle;          // the device detects that the bus has been idle for 3 ms

    double frame_length; // the length of a frame, in cycles
    double frame_due;
    uint64_t frame;      // the number of the frame since power-up
    uint64_t frame_ends; // the cycle at which the frame ends
    uint64_t quiet_until_frame;
    uint64_t stalled_frames; // the number of frames that will be silent
    bool is_held;            // true if the host serves only the control endpoint
    bool wants_suspend;
    bool has_traffic; // true if the current frame has had a transaction
    struct event frame_begins;

    uint8_t address;
    struct usb_pipe pipes[USB_PIPES]; // the first pipe belongs to endpoint 0
    size_t pipe_count;
    size_t last_pipe; // the pipe that was served last

    // The current transaction.
    struct usb_pipe *pipe;
    enum usb_phase phase;
    struct event phase_ends;
    enum usb_answer answer;
    bool is_overtaken; // true if the device became ready after it had already determined its answer
    struct usb_data data;
    enum usb_damage damage;
    uint64_t damages;          // the number of transactions that will be damaged
    enum usb_damage next_kind; // the kind of the next damage
    uint64_t nak_at;           // the time from which polling continues
};

// Initializes a host without a cable. The host's clock is slower than the board's clock by
// `fast_ppm`.
void usb_host_init(struct usb_host *host, struct machine *machine, struct usb_controller *device,
                   const struct usb_user *user, int32_t fast_ppm);

struct usb_listener usb_host_listener(struct usb_host *host);

// Plugs or unplugs the cable.
void usb_host_plug(struct usb_host *host, bool on);
// Resets the bus by holding SE0 for the given time. All transfers are lost, all pipes except the
// first are closed, and the address becomes 0.
void usb_host_reset(struct usb_host *host, uint64_t cycles);
// Suspends the bus. The host sends no frames, beginning with the next frame, until usb_host_resume
// is called.
void usb_host_suspend(struct usb_host *host);
void usb_host_resume(struct usb_host *host);
// Stops sending for a number of frames.
void usb_host_stall(struct usb_host *host, uint64_t frames);
// Damages one packet in each of the next transactions with data. The damaged packet is in turn the
// data packet, the handshake and the token.
void usb_host_damage(struct usb_host *host, uint64_t transactions);

// Returns the pipe of an endpoint, or NULL. The direction is ignored for the control endpoint.
struct usb_pipe *usb_host_find_pipe(struct usb_host *host, uint32_t number, bool is_in);
struct usb_pipe *usb_host_open_pipe(struct usb_host *host, const struct usb_pipe *pipe);
// Submits a transfer that is not pending. If `at_once` is true, the transfer continues another
// transfer and may begin in the current frame.
void usb_host_submit(struct usb_host *host, struct usb_pipe *pipe, struct usb_transfer *transfer,
                     bool at_once);
// Cancels a pending transfer, which ends with USB_GONE.
void usb_host_cancel(struct usb_host *host, struct usb_pipe *pipe, struct usb_transfer *transfer);
// Returns true during a transaction of a bulk pipe.
bool usb_host_is_busy(const struct usb_host *host);

#endif
