/*
 * Two steps of arithmetic for which the processor has what C has no words for; the compiler is told
 * to read this first.
 */
#ifndef BOARD_ARITHMETIC_H
#define BOARD_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

/* A byte's eight bits through the CRC register (SPEC 2.1): the carry of a shift is the bit that
   decides. 86 cycles; the compiled loop takes 125.
   The polynomial's highest byte, 0x82, also counts: eight shifts leave nothing of it. */
#define BRIDGE_CRC_SHIFT(crc)                                                                      \
    __asm__("mov __tmp_reg__, %D1 \n"                                                              \
            "1: lsr %D0 \n ror %C0 \n ror %B0 \n ror %A0 \n brcc 2f \n"                            \
            "eor %A0, %A1 \n eor %B0, %B1 \n eor %C0, %C1 \n eor %D0, %D1 \n"                      \
            "2: lsr __tmp_reg__ \n brne 1b"                                                        \
            : "+&r"(crc)                                                                           \
            : "w"(BRIDGE_CRC_POLYNOMIAL))

/* The sign of a difference (SPEC 5) without the difference: compiled, it needs four registers. */
static inline bool board_is_before(uint32_t a, uint32_t b) {
    __asm__ goto("cp %A0, %A1 \n cpc %B0, %B1 \n cpc %C0, %C1 \n cpc %D0, %D1 \n"
                 "brpl 1f \n rjmp %l2 \n 1:"
                 :
                 : "r"(a), "r"(b)
                 : "cc"
                 : before);
    return false;
before:
    return true;
}
#define BRIDGE_IS_BEFORE(a, b) board_is_before(a, b)

#endif
