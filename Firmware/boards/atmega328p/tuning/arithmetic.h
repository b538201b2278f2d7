/*
 * Arithmetic in assembler that replaces C code of the core: link/frame.c, player/tick_clock.c and
 * support/time.h use these macros if they are defined. The compiler reads this header before all
 * other headers.
 */
#ifndef BOARD_ARITHMETIC_H
#define BOARD_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

/* Shifts the eight bits of a byte through the CRC register (SPEC 2.1). The carry of a shift
   determines whether the polynomial is added. The macro takes 74 cycles; the compiled loop takes
   125 cycles. */
#define BRIDGE_CRC_SHIFT(crc, polynomial)                                                          \
    uint8_t pairs;                                                                                 \
    __asm__("ldi %1, 4 \n"                                                                         \
            "1: lsr %D0 \n ror %C0 \n ror %B0 \n ror %A0 \n brcc 2f \n"                            \
            "eor %A0, %A2 \n eor %B0, %B2 \n eor %C0, %C2 \n eor %D0, %D2 \n"                      \
            "2: lsr %D0 \n ror %C0 \n ror %B0 \n ror %A0 \n brcc 3f \n"                            \
            "eor %A0, %A2 \n eor %B0, %B2 \n eor %C0, %C2 \n eor %D0, %D2 \n"                      \
            "3: dec %1 \n brne 1b"                                                                 \
            : "+&r"(crc), "=&d"(pairs)                                                             \
            : "r"(polynomial))

/* Multiplies a byte by a number of four bytes, and adds the product to a number of `size` bytes,
   byte by byte. The compiled loops take twice as long. */
#define BRIDGE_ADD_PRODUCT(number, size, by, factor)                                               \
    do {                                                                                           \
        uint8_t *digit = (number);                                                                 \
        const void *other = (factor);                                                              \
        uint8_t left = 4;                                                                          \
        uint8_t rest = (uint8_t)((size)-4);                                                        \
        uint8_t carry = 0;                                                                         \
        __asm__ volatile(                                                                          \
            "1: ld __tmp_reg__, %a1+ \n mul __tmp_reg__, %5 \n add r0, %4 \n clr %4 \n"            \
            "adc r1, %4 \n ld %4, %a0 \n add r0, %4 \n ldi %4, 0 \n adc %4, r1 \n"                 \
            "st %a0+, r0 \n dec %2 \n brne 1b \n clr __zero_reg__ \n"                              \
            "2: ld r0, %a0 \n add r0, %4 \n st %a0+, r0 \n brcc 3f \n ldi %4, 1 \n"                \
            "dec %3 \n brne 2b \n 3:"                                                              \
            : "+x"(digit), "+z"(other), "+r"(left), "+r"(rest), "+d"(carry)                        \
            : "r"(by)                                                                              \
            : "memory");                                                                           \
    } while (0)

/* Returns the sign of a difference (SPEC 5), calculated without storing the difference itself,
   which would occupy four registers. */
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
