#include "uf2.h"

#include <stdio.h>
#include <string.h>

// Offsets in a block.
enum {
    MAGIC_0 = 0,
    MAGIC_1 = 4,
    FLAGS = 8,
    ADDRESS = 12,
    PAYLOAD_SIZE = 16,
    NUMBER = 20,
    COUNT = 24,
    FAMILY = 28,
    DATA = 32,
    MAGIC_END = 508,
};

#define MAGIC_0_VALUE 0x0A324655u
#define MAGIC_1_VALUE 0x9E5D5157u
#define MAGIC_END_VALUE 0x0AB16F30u
#define FLAG_NOT_FLASH 0x00000001u
#define FLAG_FAMILY 0x00002000u
#define FAMILY_RP2040 0xE48BFF56u

#define FLASH_BASE 0x10000000u
#define SECTOR_SIZE 4096u
#define BLOCKS_PER_SECTOR (SECTOR_SIZE / UF2_PAYLOAD_SIZE)
#define ERASED 0xFF

static uint32_t word(const uint8_t *block, unsigned offset) {
    return block[offset] | (uint32_t)block[offset + 1] << 8 | (uint32_t)block[offset + 2] << 16 |
           (uint32_t)block[offset + 3] << 24;
}

void uf2_begin(struct uf2 *uf2, uint8_t *flash, size_t flash_size) {
    *uf2 = (struct uf2){.flash = flash, .flash_size = flash_size};
}

static bool is_for_flash(const uint8_t *block) {
    return word(block, MAGIC_0) == MAGIC_0_VALUE && word(block, MAGIC_1) == MAGIC_1_VALUE &&
           word(block, MAGIC_END) == MAGIC_END_VALUE && (word(block, FLAGS) & FLAG_FAMILY) != 0 &&
           (word(block, FLAGS) & FLAG_NOT_FLASH) == 0 && word(block, FAMILY) == FAMILY_RP2040;
}

static const char *find_mistake(const struct uf2 *uf2, const uint8_t *block) {
    uint32_t offset = word(block, ADDRESS) - FLASH_BASE;
    uint32_t count = word(block, COUNT);
    if (word(block, PAYLOAD_SIZE) != UF2_PAYLOAD_SIZE) {
        return "expected 256 bytes of data in a block";
    }
    if (offset % UF2_PAYLOAD_SIZE != 0 || offset > uf2->flash_size - UF2_PAYLOAD_SIZE) {
        return "expected an address in the flash, a multiple of 256";
    }
    if (count == 0 || count > UF2_BLOCKS_MAX || word(block, NUMBER) >= count) {
        return "expected a block number below the block count, which is at most 8192";
    }
    return NULL;
}

static bool has_any_of_sector(const struct uf2 *uf2, uint32_t number) {
    uint32_t first = number - number % BLOCKS_PER_SECTOR;
    for (uint32_t block = first; block < first + BLOCKS_PER_SECTOR; block++) {
        if ((uf2->has[block / 8] >> block % 8 & 1) != 0) {
            return true;
        }
    }
    return false;
}

// Erases the sector of a block, if necessary, and writes the block. The boot ROM identifies sectors
// by block numbers, not by addresses: when the first block in a group of 16 blocks is received, the
// boot ROM erases the sector that contains the address of that block.
static void write(struct uf2 *uf2, uint32_t number, uint32_t offset, const uint8_t *data) {
    if (!has_any_of_sector(uf2, number)) {
        memset(&uf2->flash[offset - offset % SECTOR_SIZE], ERASED, SECTOR_SIZE);
    }
    for (uint32_t byte = 0; byte < UF2_PAYLOAD_SIZE; byte++) {
        uf2->flash[offset + byte] &= data[byte];
    }
}

enum uf2_result uf2_take(struct uf2 *uf2, const uint8_t block[UF2_BLOCK_SIZE]) {
    if (!is_for_flash(block)) {
        return UF2_IGNORED;
    }
    const char *mistake = find_mistake(uf2, block);
    uint32_t count = mistake == NULL ? word(block, COUNT) : 0;
    if (count != uf2->count) {
        uf2_begin(uf2, uf2->flash, uf2->flash_size);
        uf2->count = count;
    }
    if (mistake != NULL) {
        uf2->reason = mistake;
        return UF2_REFUSED;
    }
    uint32_t number = word(block, NUMBER);
    if ((uf2->has[number / 8] >> number % 8 & 1) == 0) {
        write(uf2, number, word(block, ADDRESS) - FLASH_BASE, &block[DATA]);
        uf2->has[number / 8] |= (uint8_t)(1u << number % 8);
        uf2->received++;
    }
    return uf2->received == uf2->count ? UF2_COMPLETE : UF2_TAKEN;
}

// ---- Files ----

static bool complain(const char *path, unsigned long block, const char *what) {
    fprintf(stderr, "%s: block %lu: %s\n", path, block, what);
    return false;
}

static bool load_blocks(FILE *file, const char *path, struct uf2 *uf2) {
    uint8_t block[UF2_BLOCK_SIZE];
    enum uf2_result result = UF2_IGNORED;
    unsigned long index = 0;
    size_t size = fread(block, 1, sizeof block, file);
    while (size == sizeof block) {
        result = uf2_take(uf2, block);
        if (result == UF2_REFUSED) {
            return complain(path, index, uf2->reason);
        }
        index++;
        size = fread(block, 1, sizeof block, file);
    }
    if (size != 0) {
        return complain(path, index, "expected 512 bytes: the file is truncated");
    }
    if (uf2->count == 0) {
        return complain(path, 0, "expected a UF2 file for the RP2040 (family e48bff56)");
    }
    if (uf2->received != uf2->count) {
        return complain(path, index, "expected more blocks: the file is truncated");
    }
    return true;
}

bool uf2_load(const char *path, uint8_t *flash, size_t flash_size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    struct uf2 uf2;
    uf2_begin(&uf2, flash, flash_size);
    bool is_right = load_blocks(file, path, &uf2);
    fclose(file);
    return is_right;
}
