/*
 * The second stage of booting (2.8.1.3): the boot ROM copies these 252 bytes to RAM, checks the CRC
 * that follows them and calls them. The code makes the flash readable as memory with the command
 * 03h, which every flash supports, and starts the image in the flash.
 */
#include "rp2040.h"

#define READ_COMMAND 0x03
#define CLOCK_DIVIDER 4 /* SCK is 12 MHz once clk_sys has its final frequency */

struct vectors {
    uint32_t stack;
    uint32_t reset;
};

#define IMAGE ((const struct vectors *)(XIP_BASE + 0x100))

/* This function must be the only function in its section, because the ROM calls the first byte of
   the section. */
__attribute__((section(".boot2"), used, noreturn)) void boot2(void);

void boot2(void) {
    SSI_SSIENR = 0;
    SSI_BAUDR = CLOCK_DIVIDER;
    SSI_CTRLR0 = SSI_CTRLR0_FRAME_BITS(32) | SSI_CTRLR0_EEPROM_READ;
    SSI_CTRLR1 = 0; /* one frame of 32 bits per read */
    SSI_SPI_CTRLR0 = SSI_SPI_CTRLR0_XIP_CMD(READ_COMMAND) | SSI_SPI_CTRLR0_INST_8_BITS |
                     SSI_SPI_CTRLR0_ADDR_24_BITS;
    SSI_SSIENR = 1;
    __asm__ volatile("msr msp, %0 \n bx %1" ::"r"(IMAGE->stack), "r"(IMAGE->reset));
    __builtin_unreachable();
}
