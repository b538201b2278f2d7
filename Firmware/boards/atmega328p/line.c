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
#define WRAP_HEAD "andi r30, 127 \n"
#else
#define RECEIVED_COUNT 256u
#define WRAP_RECEIVED
#define WRAP_HEAD
#endif

/* Only the ends of frames are stamped: nothing else has a time that matters. */
#define STAMP_COUNT (RECEIVED_COUNT / 8)
_Static_assert((STAMP_COUNT & (STAMP_COUNT - 1)) == 0, "a power of two");

/* What a host may have under way (SPEC 4.4): LINK_WINDOW, a STOP, a MUTE and a query. The indices
   lie where one instruction reaches them; the byte before the tail stays free. */
#define RESERVE (12 + 12 + 9)
_Static_assert(BRIDGE_LINK_WINDOW + RESERVE < RECEIVED_COUNT, "room for what may be under way");
static volatile uint8_t received[RECEIVED_COUNT];
#define RECEIVED_HEAD GPIOR1
#define RECEIVED_TAIL GPIOR2
static volatile uint16_t stamps[STAMP_COUNT];
static volatile uint8_t stamps_head; /**< of the newest */
static volatile uint8_t stamps_tail; /**< of the last that was taken */
static volatile uint8_t lost;        /**< bytes that found no room, not told yet */

/* received[head++] = byte, and if it is a delimiter, stamps[++head % STAMP_COUNT] = TCNT1. A byte
   that finds no room, or no room for its stamp, is lost: each delimiter that is received has its
   own. */
INTERRUPT(USART_RX_vect) {
    __asm__ volatile(
        "push r24 \n in r24, __SREG__ \n push r24 \n push r30 \n push r31 \n"
        "in r30, %[head] \n mov r24, r30 \n inc r24 \n" WRAP_RECEIVED
        "in r31, %[tail] \n cp r24, r31 \n breq 3f \n out %[head], r24 \n"
        "ldi r31, 0 \n subi r30, lo8(-(%[received])) \n sbci r31, hi8(-(%[received])) \n"
        "lds r24, %[data] \n st Z, r24 \n tst r24 \n brne 1f \n"
        "lds r30, %[newest] \n inc r30 \n andi r30, %[mask] \n"
        "lds r31, %[taken] \n cp r30, r31 \n breq 2f \n sts %[newest], r30 \n"
        "lsl r30 \n ldi r31, 0 \n"
        "subi r30, lo8(-(%[stamps])) \n sbci r31, hi8(-(%[stamps])) \n"
        "lds r24, %[count] \n st Z, r24 \n lds r24, %[count] + 1 \n std Z + 1, r24 \n"
        "1: pop r31 \n pop r30 \n pop r24 \n out __SREG__, r24 \n pop r24 \n reti \n"

        "2: in r30, %[head] \n dec r30 \n" WRAP_HEAD "out %[head], r30 \n"
        "3: lds r24, %[data] \n lds r24, %[lost] \n inc r24 \n sts %[lost], r24 \n rjmp 1b"
        :
        : [head] "I"(_SFR_IO_ADDR(RECEIVED_HEAD)), [tail] "I"(_SFR_IO_ADDR(RECEIVED_TAIL)),
          [received] "i"(received), [data] "i"(&UDR0), [newest] "i"(&stamps_head),
          [taken] "i"(&stamps_tail), [stamps] "i"(stamps), [mask] "i"(STAMP_COUNT - 1),
          [count] "i"(&TCNT1), [lost] "i"(&lost));
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

uint32_t line_take_stamp(void) {
    uint8_t next = (uint8_t)(stamps_tail + 1) % STAMP_COUNT;
    uint16_t stamp = stamps[next]; /* the interrupt leaves it alone until the tail has moved on */
    stamps_tail = next;
    return clock_of(stamp);
}

uint8_t line_take_lost(void) {
    uint8_t count = lost;
    if (count) {
        BRIDGE_ATOMIC_BEGIN
        count = lost;
        lost = 0;
        BRIDGE_ATOMIC_END
    }
    return count;
}

/* The interrupt must not end the frame between the question and the answer: it would go on sending
   what lies behind the frame. */
void line_send(void) {
    BRIDGE_ATOMIC_BEGIN
    if (bridge_has_byte(&board_bridge)) {
        UCSR0B = LISTENS | _BV(UDRIE0);
    }
    BRIDGE_ATOMIC_END
}
