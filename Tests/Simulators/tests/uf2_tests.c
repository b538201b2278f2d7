// Tests of UF2 files, which are processed by the rules of the boot ROM.
#include "../rp2040/uf2.h"

#include "machine_test.h"

#include <string.h>

#define FLASH_SIZE 0x4000u
#define FLASH_BASE 0x10000000u

static uint8_t flash[FLASH_SIZE];
static uint8_t block[UF2_BLOCK_SIZE];
static struct uf2 uf2;

static void put(unsigned offset, uint32_t value) {
    for (unsigned byte = 0; byte < sizeof value; byte++) {
        block[offset + byte] = (uint8_t)(value >> 8 * byte);
    }
}

// Fills a block as the specification of UF2 describes. The data of the block is its number.
static void make(uint32_t number, uint32_t count, uint32_t address) {
    memset(block, 0, sizeof block);
    put(0, 0x0A324655);
    put(4, 0x9E5D5157);
    put(8, 0x2000); // a family id is present
    put(12, address);
    put(16, 256);
    put(20, number);
    put(24, count);
    put(28, 0xE48BFF56);
    memset(&block[32], (int)number, 256);
    put(508, 0x0AB16F30);
}

static enum uf2_result take(uint32_t number, uint32_t count) {
    make(number, count, FLASH_BASE + number * 256);
    return uf2_take(&uf2, block);
}

static void begin(void) {
    memset(flash, 0, sizeof flash);
    uf2_begin(&uf2, flash, sizeof flash);
}

static void test_order(struct tests *tests) {
    begin();
    bool goes_on = take(2, 3) == UF2_TAKEN && take(0, 3) == UF2_TAKEN && take(2, 3) == UF2_TAKEN;
    EXPECT(tests, "blocks may arrive in any order, and twice", goes_on);
    EXPECT(tests, "the last missing block completes the file", take(1, 3) == UF2_COMPLETE);
    EXPECT(tests, "data is stored at the addresses of the blocks",
           flash[0] == 0 && flash[256] == 1 && flash[767] == 2);
    EXPECT(tests, "the rest of the sector is erased", flash[768] == 0xFF && flash[4095] == 0xFF);
    EXPECT(tests, "the next sector is not changed", flash[4096] == 0);
}

// Tests that the ROM ignores a block after certain changes to a valid block.
static void test_ignored(struct tests *tests) {
    static const struct {
        unsigned offset;
        uint32_t value;
        const char *name;
    } changes[] = {
        {0, 1, "a block without the first magic number is ignored"},
        {4, 1, "a block without the second magic number is ignored"},
        {508, 1, "a block without the last magic number is ignored"},
        {8, 0, "a block without a family is ignored"},
        {8, 0x2001, "a block that is not for the flash is ignored"},
        {28, 0xE48BFF59, "a block for the RP2350 is ignored"},
    };
    for (size_t index = 0; index < sizeof changes / sizeof changes[0]; index++) {
        begin();
        make(0, 1, FLASH_BASE);
        put(changes[index].offset, changes[index].value);
        EXPECT(tests, changes[index].name, uf2_take(&uf2, block) == UF2_IGNORED && flash[0] == 0);
    }
}

static void test_refused(struct tests *tests) {
    begin();
    make(0, 1, 0x20000000);
    EXPECT(tests, "an address in SRAM is refused", uf2_take(&uf2, block) == UF2_REFUSED);
    make(0, 1, FLASH_BASE + 128);
    EXPECT(tests, "an address within a page is refused", uf2_take(&uf2, block) == UF2_REFUSED);
    make(0, 1, FLASH_BASE + FLASH_SIZE);
    EXPECT(tests, "an address after the end of the flash is refused",
           uf2_take(&uf2, block) == UF2_REFUSED);
    EXPECT(tests, "a number beyond the count is refused", take(3, 3) == UF2_REFUSED);
    make(0, 1, FLASH_BASE);
    put(16, 255);
    EXPECT(tests, "a block of another size is refused", uf2_take(&uf2, block) == UF2_REFUSED);
}

static void test_restart(struct tests *tests) {
    begin();
    take(0, 2);
    EXPECT(tests, "a different block count begins a new file", take(1, 3) == UF2_TAKEN);
    EXPECT(tests, "the new file has no blocks yet", take(2, 3) == UF2_TAKEN);
    EXPECT(tests, "the new file is complete when all blocks have arrived",
           take(0, 3) == UF2_COMPLETE);
}

// Tests a file with a gap. The boot ROM identifies sectors by block numbers, so a sector is not
// erased if a gap precedes it.
static void test_gap(struct tests *tests) {
    begin();
    flash[4096] = 0x0F;
    take(0, 2);
    make(1, 2, FLASH_BASE + 4096);
    uf2_take(&uf2, block);
    EXPECT(tests, "the second sector within 16 blocks is not erased", flash[4096] == 0x01);
}

void test_uf2(struct tests *tests) {
    test_order(tests);
    test_ignored(tests);
    test_refused(tests);
    test_restart(tests);
    test_gap(tests);
}
