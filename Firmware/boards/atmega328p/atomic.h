/* What bridge_atomic.h asks of a port with interrupts; the compiler is told to read it first. */
#ifndef BOARD_ATOMIC_H
#define BOARD_ATOMIC_H

#include <avr/interrupt.h>
#include <avr/io.h>

#define BRIDGE_ATOMIC_BEGIN                                                                        \
    {                                                                                              \
        uint8_t atomic_status = SREG;                                                              \
        cli();                                                                                     \
        __asm__ volatile("" ::: "memory");

#define BRIDGE_ATOMIC_END                                                                          \
    __asm__ volatile("" ::: "memory");                                                             \
    SREG = atomic_status;                                                                          \
    }

#endif
