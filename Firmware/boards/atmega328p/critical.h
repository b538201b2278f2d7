/* Critical sections (core/support/critical.h). The compiler reads this header first. */
#ifndef BOARD_CRITICAL_H
#define BOARD_CRITICAL_H

#include <avr/interrupt.h>
#include <avr/io.h>

/* The main loop calls timer_now, and then the core, at least every 16 ms (timer.h). */
#define BRIDGE_POLLED_WITHIN_16_MS

#define BRIDGE_CRITICAL_ENTER                                                                      \
    {                                                                                              \
        uint8_t critical_status = SREG;                                                            \
        cli();                                                                                     \
        __asm__ volatile("" ::: "memory");

#define BRIDGE_CRITICAL_EXIT                                                                       \
    __asm__ volatile("" ::: "memory");                                                             \
    SREG = critical_status;                                                                        \
    }

#endif
