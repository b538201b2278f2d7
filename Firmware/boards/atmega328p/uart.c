#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "board.h"
#include "timer.h"

#define DIVISOR (F_CPU / 8 / BRIDGE_BAUD - 1)
#define LISTENS (_BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0))
_Static_assert(F_CPU % (8ul * BRIDGE_BAUD) == 0, "the UART must have exactly BRIDGE_BAUD");

/* The size of the receive buffer. With one actuator, the buffer has 256 bytes, the maximum that a
   one-byte index can address. With several actuators, the memory suffices only for half as many
   bytes. */
#define RECEIVED_COUNT (BRIDGE_ACTUATOR_COUNT > 1 ? 128u : 256u)

/* Only delimiters have a stamp, because the core does not use the stamps of other bytes. */
/* A host may send 24 empty frames in a row (SPEC 4.4). */
#define STAMP_COUNT 32u
_Static_assert((STAMP_COUNT & (STAMP_COUNT - 1)) == 0, "STAMP_COUNT must be a power of two");

/* The buffer must hold the bytes that a host may send before it receives an answer (SPEC 4.4):
   BRIDGE_LINK_WINDOW, a STOP, a MUTE and a query. The byte before the tail remains unused. The
   indices are stored in registers that a single instruction reads or writes. */
#define RESERVE (12 + 12 + 9)
_Static_assert(BRIDGE_LINK_WINDOW + RESERVE < RECEIVED_COUNT,
               "the buffer must hold all unanswered bytes");
static volatile uint8_t received[RECEIVED_COUNT];
#define RECEIVED_HEAD GPIOR1
#define RECEIVED_TAIL GPIOR2
static volatile uint16_t stamps[STAMP_COUNT];
static volatile uint8_t stamps_head; /**< index of the newest stamp */
static volatile uint8_t stamps_tail; /**< index of the last stamp that was taken */
static volatile uint8_t
    lost; /**< number of bytes that did not fit into the buffer and have not been reported yet */

/* The interrupts in C. Unless TUNING is 0, the image contains the equivalent handlers in
   tuning/uart_interrupts.h instead. */
#ifdef BOARD_TUNED
#include "tuning/uart_interrupts.h"
#else

/* Receives a byte. A byte is lost if the buffer is full. A delimiter is also lost if the buffer of
   stamps is full, so that each delimiter in the buffer has its own stamp. */
ISR(USART_RX_vect) {
    uint16_t stamp = TCNT1;
    uint8_t byte = UDR0;
    uint8_t head = RECEIVED_HEAD;
    uint8_t next = (uint8_t)(head + 1u) % RECEIVED_COUNT;
    uint8_t newest = (uint8_t)(stamps_head + 1u) % STAMP_COUNT;
    bool is_delimiter = byte == BRIDGE_DELIMITER;
    if (next == RECEIVED_TAIL || (is_delimiter && newest == stamps_tail)) {
        lost++;
        return;
    }
    if (is_delimiter) {
        stamps[newest] = stamp;
        stamps_head = newest;
    }
    received[head] = byte;
    RECEIVED_HEAD = next;
}

/* Sends a byte. The interrupt is enabled only while a frame is being sent. */
ISR(USART_UDRE_vect) {
    uint8_t byte;
    if (bridge_take_byte(&board_bridge, &byte)) {
        UDR0 = byte;
    }
    if (!bridge_has_byte(&board_bridge)) {
        UCSR0B = LISTENS;
    }
}

#endif

void uart_start(void) {
    UBRR0 = DIVISOR;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = LISTENS;
}

bool uart_has_received(void) { return RECEIVED_HEAD != RECEIVED_TAIL; }

uint8_t uart_peek(const uint8_t **bytes, uint8_t most) {
    uint8_t tail = RECEIVED_TAIL;
    uint8_t count = (uint8_t)(RECEIVED_HEAD - tail) % RECEIVED_COUNT;
    uint8_t to_end = (uint8_t)(RECEIVED_COUNT - tail);
    *bytes = (const uint8_t *)&received[tail];
    if (to_end && count > to_end) {
        count = to_end;
    }
    return count < most ? count : most;
}

void uart_drop(uint8_t count) { RECEIVED_TAIL = (uint8_t)(RECEIVED_TAIL + count) % RECEIVED_COUNT; }

uint32_t uart_take_stamp(void) {
    uint8_t next = (uint8_t)(stamps_tail + 1) % STAMP_COUNT;
    uint16_t stamp = stamps[next]; /* the interrupt does not overwrite the stamp until the tail
                                      advances */
    stamps_tail = next;
    return timer_time_at(stamp);
}

uint8_t uart_take_lost(void) {
    uint8_t count = lost;
    if (count) {
        BRIDGE_CRITICAL_ENTER
        count = lost;
        lost = 0;
        BRIDGE_CRITICAL_EXIT
    }
    return count;
}

/* Starts sending. No interrupt may occur between the test and the enabling of the interrupt: if the
   frame ended in between, the interrupt would send the bytes that follow the frame in memory. */
void uart_send(void) {
    BRIDGE_CRITICAL_ENTER
    if (bridge_has_byte(&board_bridge)) {
        UCSR0B = LISTENS | _BV(UDRIE0);
    }
    BRIDGE_CRITICAL_EXIT
}
