#include "usart.h"

#include <inttypes.h>

// Returns the number of clock cycles of one bit (20.3.1), in fine units, for frames that begin now.
static uint64_t bit_fine(void *owner) {
    const struct usart *usart = owner;
    const uint8_t *data = usart->mcu->data;
    uint64_t divisor = (uint64_t)(data[UBRR0L] | (data[UBRR0H] & 0x0F) << 8) + 1;
    uint64_t samples = (data[UCSR0A] & U2X0) != 0 ? 8 : 16;
    return divisor * samples * FINE_PER_CYCLE;
}

static bool is_enabled(const struct usart *usart, uint8_t bit) {
    return (usart->mcu->data[UCSR0B] & bit) != 0;
}

// Sets the flags of UCSR0A (20.11.2); the error flags belong to the first buffered byte.
static void update(struct usart *usart) {
    uint8_t flags = usart->mcu->data[UCSR0A] & (U2X0 | MPCM0);
    if (usart->fifo_count != 0) {
        flags |= RXC0 | (usart->fifo[0].frame_error ? FE0 : 0);
    }
    flags |= usart->overrun ? DOR0 : 0;
    flags |= usart->transmit_complete ? TXC0 : 0;
    flags |= usart->has_buffered ? 0 : UDRE0;
    usart->mcu->data[UCSR0A] = flags;
    mcu_request(usart->mcu, VECTOR_USART_RX, (flags & RXC0) != 0 && is_enabled(usart, RXCIE0));
    mcu_request(usart->mcu, VECTOR_USART_UDRE, (flags & UDRE0) != 0 && is_enabled(usart, UDRIE0));
    mcu_request(usart->mcu, VECTOR_USART_TX, (flags & TXC0) != 0 && is_enabled(usart, TXCIE0));
}

static void check_format(const struct usart *usart) {
    if (usart->mcu->data[UCSR0C] != UCSR0C_8N1 || is_enabled(usart, UCSZ02)) {
        mcu_crash(usart->mcu, "a frame format other than 8N1 is not modeled");
    }
}

// ---- Transmitter (20.6) ----

static void shift_out(struct usart *usart, uint64_t when, uint8_t byte) {
    check_format(usart);
    uint64_t end = serial_wire_send(usart->txd, when, bit_fine(usart), byte);
    schedule_at(usart->schedule, &usart->sent, end);
}

static void on_sent(void *owner, uint64_t when) {
    struct usart *usart = owner;
    if (usart->has_buffered) {
        usart->has_buffered = false;
        shift_out(usart, when, usart->buffered);
    } else {
        usart->transmit_complete = true;
    }
    update(usart);
}

static void write_data(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct usart *usart = owner;
    if (!is_enabled(usart, TXEN0) || usart->has_buffered) { // the byte is lost (20.11.1)
        return;
    }
    if (usart->sent.due == SCHEDULE_NEVER) {
        shift_out(usart, usart->mcu->now, value);
    } else {
        usart->buffered = value;
        usart->has_buffered = true;
    }
    update(usart);
}

static void acknowledge_transmit_complete(void *owner) {
    struct usart *usart = owner;
    usart->transmit_complete = false;
    update(usart);
}

// ---- Receiver (20.7) ----

// Handles a start bit. If a complete byte is waiting in the shift register, the start bit of the
// next byte causes an overrun (20.7.4). The datasheet does not specify which of the two bytes is
// lost. In this model, the older byte is lost, because there is only one shift register.
static void on_start_bit(void *owner, uint64_t when) {
    struct usart *usart = owner;
    check_format(usart);
    if (usart->has_waiting) {
        usart->has_waiting = false;
        usart->overrun = true;
        trace_line(usart->trace, "overrun %" PRIu64, when);
        update(usart);
    }
}

static void on_byte(void *owner, uint64_t when, uint8_t byte, bool has_stop_bit,
                    const struct serial_frame *frame) {
    (void)frame;
    struct usart *usart = owner;
    struct usart_received received = {.byte = byte, .frame_error = !has_stop_bit};
    if (!has_stop_bit) {
        trace_line(usart->trace, "framing %" PRIu64, when);
    }
    if (usart->fifo_count < USART_FIFO_SIZE) {
        usart->fifo[usart->fifo_count++] = received;
    } else {
        usart->waiting = received;
        usart->has_waiting = true;
    }
    update(usart);
}

static uint8_t read_data(void *owner, uint16_t address) {
    (void)address;
    struct usart *usart = owner;
    uint8_t byte = usart->fifo[0].byte;
    usart->overrun = false;
    if (usart->fifo_count != 0) {
        usart->fifo[0] = usart->fifo[1];
        usart->fifo_count--;
    }
    if (usart->has_waiting) {
        usart->fifo[usart->fifo_count++] = usart->waiting;
        usart->has_waiting = false;
    }
    update(usart);
    return byte;
}

// Discards the received data, as the receiver does when it is switched off (20.7.5).
static void flush(struct usart *usart) {
    usart->fifo_count = 0;
    usart->has_waiting = false;
    usart->overrun = false;
}

struct serial_receiver usart_receiver(struct usart *usart) {
    return (struct serial_receiver){
        .bit_fine = bit_fine, .begin = on_start_bit, .receive = on_byte, .owner = usart};
}

// ---- Control ----

static void write_status(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct usart *usart = owner;
    if ((value & TXC0) != 0) {
        usart->transmit_complete = false;
    }
    usart->mcu->data[UCSR0A] = value & (U2X0 | MPCM0);
    update(usart);
}

static void write_control(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct usart *usart = owner;
    usart->mcu->data[UCSR0B] = value;
    bool receives = (value & RXEN0) != 0;
    serial_wire_listen(usart->rxd, usart->mcu->now, receives);
    if (!receives) {
        flush(usart);
    }
    update(usart);
}

void usart_init(struct usart *usart, struct mcu *mcu, struct schedule *schedule,
                const struct trace *trace, struct serial_wire *rxd, struct serial_wire *txd) {
    *usart =
        (struct usart){.mcu = mcu, .schedule = schedule, .trace = trace, .rxd = rxd, .txd = txd};
    schedule_add(schedule, &usart->sent, on_sent, usart);
    mcu_on_read(mcu, UDR0, read_data, usart);
    mcu_on_write(mcu, UDR0, write_data, usart);
    mcu_on_write(mcu, UCSR0A, write_status, usart);
    mcu_on_write(mcu, UCSR0B, write_control, usart);
    mcu_on_interrupt(mcu, VECTOR_USART_TX, acknowledge_transmit_complete, usart);
}

void usart_reset(struct usart *usart) {
    usart_power_off(usart);
    usart->has_buffered = false;
    usart->transmit_complete = false;
    flush(usart);
    usart->mcu->data[UCSR0C] = UCSR0C_8N1;
    update(usart);
}

void usart_power_off(struct usart *usart) {
    serial_wire_listen(usart->rxd, usart->mcu->now, false);
    serial_wire_cut(usart->txd, usart->mcu->now);
    schedule_cancel(usart->schedule, &usart->sent);
}
