#include "line.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "board.h"
#include "clock.h"

#define DIVISOR (F_CPU / 8 / BRIDGE_BAUD - 1)
_Static_assert(F_CPU % (8ul * BRIDGE_BAUD) == 0, "the line's rate is exact");

/* Only the ends of frames are stamped: nothing else has a time that matters. */
#define STAMP_COUNT 32u
_Static_assert((STAMP_COUNT & (STAMP_COUNT - 1)) == 0, "a power of two");

/* As large as its index: what a host may have under way (LINK_WINDOW) and a frame besides. */
static volatile uint8_t received[256];
static volatile uint8_t received_head;
static uint8_t received_tail;
static volatile uint16_t stamps[STAMP_COUNT];
static volatile uint8_t stamps_head;
static uint8_t stamps_tail;

ISR(USART_RX_vect) {
    uint8_t byte = UDR0;
    received[received_head++] = byte;
    if (byte == BRIDGE_DELIMITER) {
        stamps[stamps_head++ % STAMP_COUNT] = TCNT1;
    }
}

ISR(USART_UDRE_vect) {
    uint8_t byte;
    if (bridge_take_byte(&board_bridge, &byte)) {
        UDR0 = byte;
    } else {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
    }
}

void line_start(void) {
    UBRR0 = DIVISOR;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
}

bool line_has_received(void) { return received_head != received_tail; }

uint8_t line_peek(const uint8_t **bytes, uint8_t most) {
    uint8_t count = (uint8_t)(received_head - received_tail);
    uint8_t to_end = (uint8_t)-received_tail;
    *bytes = (const uint8_t *)&received[received_tail];
    if (to_end && count > to_end) {
        count = to_end;
    }
    return count < most ? count : most;
}

void line_drop(uint8_t count) { received_tail = (uint8_t)(received_tail + count); }

/* With more ends of frames waiting than there are stamps, the newest stamp stands for the oldest:
   only a host that ignores the window gets there. */
uint32_t line_take_stamp(void) {
    uint16_t stamp;
    BRIDGE_ATOMIC_BEGIN
    stamp = stamps[stamps_tail++ % STAMP_COUNT];
    BRIDGE_ATOMIC_END
    return clock_of(stamp);
}

void line_send(void) {
    if (bridge_has_byte(&board_bridge)) {
        BRIDGE_ATOMIC_BEGIN
        UCSR0B |= _BV(UDRIE0);
        BRIDGE_ATOMIC_END
    }
}
