#include "flash.h"

#include "../../core/link/answers.h"
#include "rp2040.h"

#define CLOCK_DIVIDER 4 /* 12 MHz */

/* Commands that every serial flash supports (W25Q16JV data sheet, 8.1.2). */
enum command {
    WRITE_PAGE = 0x02,
    READ = 0x03,
    READ_STATUS = 0x05,
    ENABLE_WRITING = 0x06,
    ERASE_SECTOR = 0x20,
    READ_ID = 0x4b,
};

#define STATUS_BUSY 1u
#define ID_SIZE 8
#define ID_DUMMY_BYTES 4

static uint64_t id;

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Selects the flash, which accepts commands while its select line is low. The program, not the
   hardware, drives this line, so that an interrupt between two bytes does not end the command. */
static void select(bool selected) { IO_QSPI_SS_CTRL = selected ? IO_OUTOVER_LOW : IO_OUTOVER_HIGH; }

static uint8_t exchange(uint8_t byte) {
    SSI_DR0 = byte;
    while (!(SSI_SR & SSI_SR_RFNE)) {
    }
    return (uint8_t)SSI_DR0;
}

static void send_address(enum command command, uint32_t address) {
    select(true);
    exchange((uint8_t)command);
    exchange((uint8_t)(address >> 16));
    exchange((uint8_t)(address >> 8));
    exchange((uint8_t)address);
}

static void enable_writing(void) {
    select(true);
    exchange(ENABLE_WRITING);
    select(false);
}

/* ---- Commands ------------------------------------------------------------------------------- */

static void read_id(void) {
    select(true);
    exchange(READ_ID);
    for (uint8_t left = ID_DUMMY_BYTES; left; left--) {
        exchange(0);
    }
    for (uint8_t left = ID_SIZE; left; left--) {
        id = id << 8 | exchange(0);
    }
    select(false);
}

void flash_start(void) {
    select(false);
    SSI_SSIENR = 0;
    SSI_BAUDR = CLOCK_DIVIDER;
    SSI_CTRLR0 = SSI_CTRLR0_FRAME_BITS(8);
    SSI_SER = 1;
    SSI_SSIENR = 1;
    read_id();
}

uint64_t flash_id(void) { return id; }

void flash_read(uint32_t address, void *bytes, uint16_t size) {
    uint8_t *byte = bytes;
    send_address(READ, address);
    for (; size; size--) {
        *byte++ = exchange(0);
    }
    select(false);
}

void flash_erase(uint32_t address) {
    enable_writing();
    send_address(ERASE_SECTOR, address);
    select(false);
}

void flash_write(uint32_t address, const void *bytes, uint16_t size) {
    const uint8_t *byte = bytes;
    enable_writing();
    send_address(WRITE_PAGE, address);
    for (; size; size--) {
        exchange(*byte++);
    }
    select(false);
}

bool flash_is_busy(void) {
    select(true);
    exchange(READ_STATUS);
    uint8_t status = exchange(0);
    select(false);
    return status & STATUS_BUSY;
}

/* The image in the flash, as the linker script places it. */
extern const uint8_t firmware_start[], firmware_end[];

uint8_t board_read_firmware(uint16_t block, uint8_t *bytes) {
    uint32_t start = block * (uint32_t)BRIDGE_FIRMWARE_BLOCK;
    uint32_t size = (uint32_t)(firmware_end - firmware_start);
    if (start >= size || flash_is_busy()) {
        return 0;
    }
    uint32_t left = size - start;
    uint8_t count = left < BRIDGE_FIRMWARE_BLOCK ? (uint8_t)left : BRIDGE_FIRMWARE_BLOCK;
    flash_read(start, bytes, count);
    return count;
}
