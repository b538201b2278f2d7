/*
 * A macro that calculates the CRC with a table. If this macro is defined, link/frame.c uses it
 * instead of its own code. The compiler reads this header before all others.
 */
#ifndef BOARD_ARITHMETIC_H
#define BOARD_ARITHMETIC_H

#include <stdint.h>

/** The CRC register (SPEC 2.1) after four bits have been shifted into an empty register. */
extern const uint32_t arithmetic_crc_of_nibble[16];

/* Shifts the eight bits of a byte through the CRC register, four bits at a time. */
#define BRIDGE_CRC_SHIFT(crc, polynomial)                                                          \
    do {                                                                                           \
        (void)(polynomial);                                                                        \
        (crc) = (crc) >> 4 ^ arithmetic_crc_of_nibble[(crc)&0xf];                                  \
        (crc) = (crc) >> 4 ^ arithmetic_crc_of_nibble[(crc)&0xf];                                  \
    } while (0)

#endif
