#include "line.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "board.h"
#include "clock.h"
#include "interrupt.h"

#define DIVISOR (F_CPU / 8 / BRIDGE_BAUD - 1)
#define LISTENS (_BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0))
_Static_assert(F_CPU % (8ul * BRIDGE_BAUD) == 0, "the line's rate is exact");

/* As large as its index; with several actuators there is memory for half of it. */
#if BRIDGE_ACTUATOR_COUNT > 1
#define RECEIVED_COUNT 128u
#define WRAP_RECEIVED "andi r24, 127 \n"
#else
#define RECEIVED_COUNT 256u
#define WRAP_RECEIVED
#endif

/* Only the ends of frames are stamped: nothing else has a time that matters. */
#define STAMP_COUNT (RECEIVED_COUNT / 8)
_Static_assert((STAMP_COUNT & (STAMP_COUNT - 1)) == 0, "a power of two");

/* What a host may have under way (LINK_WINDOW) and a frame besides, or four short ones. The indices
   lie where one instruction reaches them. */
static volatile uint8_t received[RECEIVED_COUNT];
#define RECEIVED_HEAD GPIOR1
#define RECEIVED_TAIL GPIOR2
static volatile uint16_t stamps[STAMP_COUNT];
static volatile uint8_t stamps_head; /**< of the newest */
static uint8_t stamps_tail;

/* received[head++] = byte, and if it is a delimiter, stamps[++head % STAMP_COUNT] = TCNT1. */
INTERRUPT(USART_RX_vect) {
    __asm__ volatile(
        "push r24 \n in r24, __SREG__ \n push r24 \n push r30 \n push r31 \n"
        "in r30, %[head] \n mov r24, r30 \n inc r24 \n" WRAP_RECEIVED "out %[head], r24 \n"
        "ldi r31, 0 \n subi r30, lo8(-(%[received])) \n sbci r31, hi8(-(%[received])) \n"
        "lds r24, %[data] \n st Z, r24 \n tst r24 \n brne 1f \n"
        "lds r30, %[newest] \n inc r30 \n andi r30, %[mask] \n sts %[newest], r30 \n"
        "lsl r30 \n ldi r31, 0 \n"
        "subi r30, lo8(-(%[stamps])) \n sbci r31, hi8(-(%[stamps])) \n"
        "lds r24, %[count] \n st Z, r24 \n lds r24, %[count] + 1 \n std Z + 1, r24 \n"
        "1: pop r31 \n pop r30 \n pop r24 \n out __SREG__, r24 \n pop r24 \n reti"
        :
        : [head] "I"(_SFR_IO_ADDR(RECEIVED_HEAD)), [received] "i"(received), [data] "i"(&UDR0),
          [newest] "i"(&stamps_head), [stamps] "i"(stamps), [mask] "i"(STAMP_COUNT - 1),
          [count] "i"(&TCNT1));
    __builtin_unreachable();
}

/* What bridge_take_byte does, and silence behind a delimiter. */
INTERRUPT(USART_UDRE_vect) {
    __asm__ volatile(
        "push r24 \n in r24, __SREG__ \n push r24 \n push r30 \n push r31 \n"
        "lds r30, %[position] \n mov r24, r30 \n inc r24 \n sts %[position], r24 \n"
        "ldi r31, 0 \n subi r30, lo8(-(%[frame])) \n sbci r31, hi8(-(%[frame])) \n"
        "ld r24, Z \n sts %[data], r24 \n tst r24 \n brne 1f \n"
        "sts %[length], r24 \n sts %[is_ready], r24 \n"
        "ldi r24, %[quiet] \n sts %[control], r24 \n"
        "1: pop r31 \n pop r30 \n pop r24 \n out __SREG__, r24 \n pop r24 \n reti"
        :
        : [position] "i"(&board_bridge.sender.position), [frame] "i"(&board_bridge.sender.frame),
          [data] "i"(&UDR0), [length] "i"(&board_bridge.sender.length),
          [is_ready] "i"(&board_bridge.sender.is_ready), [control] "i"(&UCSR0B),
          [quiet] "M"(LISTENS));
    __builtin_unreachable();
}

void line_start(void) {
    UBRR0 = DIVISOR;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = LISTENS;
}

bool line_has_received(void) { return RECEIVED_HEAD != RECEIVED_TAIL; }

uint8_t line_peek(const uint8_t **bytes, uint8_t most) {
    uint8_t tail = RECEIVED_TAIL;
    uint8_t count = (uint8_t)(RECEIVED_HEAD - tail) % RECEIVED_COUNT;
    uint8_t to_end = (uint8_t)(RECEIVED_COUNT - tail);
    *bytes = (const uint8_t *)&received[tail];
    if (to_end && count > to_end) {
        count = to_end;
    }
    return count < most ? count : most;
}

void line_drop(uint8_t count) { RECEIVED_TAIL = (uint8_t)(RECEIVED_TAIL + count) % RECEIVED_COUNT; }

/* With more ends of frames waiting than there are stamps, the newest stamp stands for the oldest:
   only a host that ignores the window gets there. */
uint32_t line_take_stamp(void) {
    uint16_t stamp;
    BRIDGE_ATOMIC_BEGIN
    stamp = stamps[++stamps_tail % STAMP_COUNT];
    BRIDGE_ATOMIC_END
    return clock_of(stamp);
}

void line_send(void) {
    if (bridge_has_byte(&board_bridge)) {
        UCSR0B = LISTENS | _BV(UDRIE0);
    }
}
