// The serial port of a CDC-ACM device on a computer. The port works like Linux's driver cdc_acm.
// Requests set the lines and the rate, and bulk transfers contain the bytes.
#ifndef USB_PORT_H
#define USB_PORT_H

#include "usb_session.h"

#define LINE_CODING_SIZE 7u
#define NOTIFICATION_MAX 64u
#define WRITE_MAX 1280u // the maximum number of bytes in one transfer, which has 20 packets
#define WRITES 16u      // the maximum number of submitted transfers
#define READS 16u

// Bytes that a program writes to the port at a future cycle.
struct usb_write {
    uint64_t when;
    size_t size;
    uint8_t *bytes;
    struct usb_write *next;
};

// A transfer and its buffer.
struct usb_packet_buffer {
    struct usb_transfer transfer;
    uint8_t bytes[PACKET_MAX];
};

struct usb_write_buffer {
    struct usb_transfer transfer;
    uint8_t bytes[WRITE_MAX];
};

struct usb_port {
    struct usb_host *host;
    struct machine *machine;
    bool is_there; // true if the device is set up and a driver uses it
    bool is_new;   // true if board_has_new_port has not yet reported the port
    bool is_open;  // true if a program has opened the port
    bool wants_dtr;
    bool has_dtr;     // DTR as it was last sent to the device
    bool is_ready;    // true if the lines have been sent since the port was opened
    bool is_rate_new; // true if the rate must be sent, even if the port is closed
    uint32_t rate;
    uint32_t told_rate; // the rate that was sent to the device; 0 if no rate was sent
    bool is_held;       // true while the program does not read
    uint8_t control_interface;
    struct usb_pipe *notifications;
    struct usb_pipe *reads;
    struct usb_pipe *writes;

    struct usb_transfer request;
    uint8_t line_coding[LINE_CODING_SIZE];
    struct usb_transfer notification;
    uint8_t notified[NOTIFICATION_MAX];
    struct usb_packet_buffer read_buffers[READS];
    struct usb_write_buffer write_buffers[WRITES];

    struct usb_write *first_write; // the queue of writes that are not yet submitted
    struct event write_due;

    // A function that is called with each received byte. May be NULL.
    void (*take)(void *owner, uint8_t byte);
    void *owner;
};

// Initializes a port. If `is_open` is true, a program has already opened the port.
void usb_port_init(struct usb_port *port, struct usb_host *host, bool is_open);
struct usb_driver usb_port_driver(struct usb_port *port);

void usb_port_open(struct usb_port *port, bool on);
void usb_port_set_dtr(struct usb_port *port, bool on);
void usb_port_set_rate(struct usb_port *port, uint32_t rate);
// Writes the program's bytes at `when`. If there is no device, the bytes are lost.
void usb_port_write(struct usb_port *port, uint64_t when, const uint8_t *bytes, size_t size);
// Returns the number of bytes that the program can now write in one transfer.
size_t usb_port_room(const struct usb_port *port);
// Causes the program to stop or to resume reading. While the program does not read, the host does
// not poll the device for data.
void usb_port_hold(struct usb_port *port, bool on);

#endif
