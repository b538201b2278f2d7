// Files in the format UF2, processed by the rules of the RP2040's boot ROM.
#ifndef UF2_H
#define UF2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UF2_BLOCK_SIZE 512u
#define UF2_PAYLOAD_SIZE 256u
#define UF2_BLOCKS_MAX 8192u // of 2 MB

// The result of the processing of a block.
enum uf2_result {
    UF2_IGNORED,  // not a block of a file for the RP2040's flash
    UF2_TAKEN,    // written to the flash, or already present
    UF2_COMPLETE, // like UF2_TAKEN, and the flash now contains every block of the file
    UF2_REFUSED,  // a block for the RP2040 that the boot ROM cannot use; `reason` contains the
                  // reason
};

// A file that is being written to the flash.
struct uf2 {
    uint8_t *flash;
    size_t flash_size;
    uint32_t count;    // the number of blocks of the file; 0 until the first block is written
    uint32_t received; // the number of different blocks that were received
    uint8_t has[UF2_BLOCKS_MAX / 8];
    const char *reason;
};

void uf2_begin(struct uf2 *uf2, uint8_t *flash, size_t flash_size);

// Processes a block. A block that has a different block count, or that follows a refused block,
// begins a new file, which must then be complete.
enum uf2_result uf2_take(struct uf2 *uf2, const uint8_t block[UF2_BLOCK_SIZE]);

// Loads a whole file. Returns false, and prints the file, the block and the reason on standard
// error, if the boot ROM would not start the file.
bool uf2_load(const char *path, uint8_t *flash, size_t flash_size);

#endif
