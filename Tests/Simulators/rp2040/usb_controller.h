// The USB controller as a device (datasheet 4.1): its registers, its DPRAM, and its reactions to
// the packets of a host.
#ifndef USB_CONTROLLER_H
#define USB_CONTROLLER_H

#include "machine.h"
#include "usb_registers.h"

// The functions that notify the host.
struct usb_listener {
    // A function that is called when the pull-up has been switched.
    void (*attached)(void *owner, bool is_attached);
    // A function that is called when a buffer has become available to the controller, or an
    // endpoint stalls, so that the host can retry a transaction that was answered with NAK.
    void (*available)(void *owner);
    void *owner;
};

enum usb_answer { USB_NO_ANSWER, USB_ACK, USB_NAK, USB_STALL };

// A data packet.
struct usb_data {
    uint8_t bytes[PACKET_MAX];
    uint16_t size;
    bool is_data1;
};

struct usb_controller {
    struct machine *machine;
    struct usb_listener listener;
    union {
        uint32_t words[USB_DPRAM_SIZE / 4]; // aligns the bytes
        uint8_t bytes[USB_DPRAM_SIZE];
    } dpram;
    uint32_t buffers[2 * USB_ENDPOINTS]; // the last known buffer control words
    uint32_t address;
    uint32_t main_control;
    uint32_t sie_control;
    uint32_t sie_status;
    uint32_t buffer_status;
    uint32_t stall_arm;
    uint32_t aborted;    // EP_ABORT
    uint32_t abort_done; // EP_ABORT_DONE
    uint32_t under_way;  // the bit of the transaction's buffer, as in BUFF_STATUS; 0 if there is no
                         // transaction
    uint32_t muxing;
    uint32_t power;
    uint32_t enabled; // INTE
    uint32_t forced;  // INTF
    uint32_t frame;
    bool has_sof;      // DEV_SOF
    uint64_t sof_at;   // the time of the last SOF
    bool is_attached;  // the state that was last reported to the listener
    bool is_in_use;    // true if tokens have arrived since the last reset of the bus
    bool is_suspended; // true if SUSPENDED has been set and the bus has not resumed
};

void usb_controller_init(struct usb_controller *usb, struct machine *machine,
                         const struct usb_listener *listener);

// Fills the DPRAM with pseudorandom values, as after power-up. The values depend only on the seed.
void usb_controller_scramble(struct usb_controller *usb, uint64_t seed);

// ---- Events on the bus ----

void usb_controller_bus_reset(struct usb_controller *usb);
void usb_controller_sof(struct usb_controller *usb, uint64_t when, uint32_t frame);
// Suspends the device, because the bus has been idle for 3 ms.
void usb_controller_suspend(struct usb_controller *usb);
void usb_controller_resume(struct usb_controller *usb);

// Returns true if the controller responds to tokens for this address.
bool usb_controller_has_address(const struct usb_controller *usb, uint8_t address);

// Handles a SETUP packet, which is always accepted.
void usb_controller_setup(struct usb_controller *usb, const uint8_t packet[SETUP_PACKET_SIZE]);

// Handles an IN token. Returns USB_ACK and the data that the device sends, or another answer
// without data. The buffer changes only at the end of the transaction.
enum usb_answer usb_controller_in(struct usb_controller *usb, unsigned number,
                                  struct usb_data *data);
// Ends an IN transaction. `acknowledged` is true if the host has sent an ACK.
void usb_controller_in_ends(struct usb_controller *usb, unsigned number, bool acknowledged);

// Handles an OUT token. Returns the answer that the controller will send to valid data.
enum usb_answer usb_controller_out(struct usb_controller *usb, unsigned number);
enum usb_out {
    USB_OUT_TAKEN,
    USB_OUT_AGAIN
}; // AGAIN: the data is discarded because its DATA toggle is wrong
enum usb_out usb_controller_out_ends(struct usb_controller *usb, unsigned number,
                                     const struct usb_data *data);
// Handles the loss of a token, or of the packet after a token.
void usb_controller_abandon(struct usb_controller *usb);
// Handles data whose CRC is wrong.
void usb_controller_crc_error(struct usb_controller *usb);

#endif
