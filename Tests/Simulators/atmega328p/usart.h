// USART0 (datasheet section 20): asynchronous, 8 data bits, no parity, 1 stop bit.
#ifndef USART_H
#define USART_H

#include "mcu.h"
#include "serial_wire.h"
#include "trace.h"

#define USART_FIFO_SIZE 2u

struct usart_received {
    uint8_t byte;
    bool frame_error;
};

struct usart {
    struct mcu *mcu;
    struct schedule *schedule;
    const struct trace *trace;
    struct serial_wire *rxd;
    struct serial_wire *txd;

    // The transmitter: the buffer UDR0, and the shift register, which is busy while the event
    // `sent` is scheduled.
    struct event sent;
    uint8_t buffered;
    bool has_buffered;
    bool transmit_complete;

    // The receiver: a buffer of two bytes, and the shift register.
    struct usart_received fifo[USART_FIFO_SIZE];
    uint8_t fifo_count;
    struct usart_received
        waiting; // a complete byte is in the shift register, because the buffer is full
    bool has_waiting;
    bool overrun;
};

// Returns the receiver at the end of the wire to RXD.
struct serial_receiver usart_receiver(struct usart *usart);

void usart_init(struct usart *usart, struct mcu *mcu, struct schedule *schedule,
                const struct trace *trace, struct serial_wire *rxd, struct serial_wire *txd);

// Sets the reset values, and aborts the transmission of a byte. This function must be called after
// mcu_reset.
void usart_reset(struct usart *usart);

// Switches the power off. Afterwards, the pins have no function, and the USART does not receive
// bytes.
void usart_power_off(struct usart *usart);

#endif
