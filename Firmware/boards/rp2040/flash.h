/*
 * The flash memory, accessed with its own commands. The image runs in RAM, and no longer accesses
 * the flash as memory. The functions in this file do not wait for the flash.
 */
#ifndef FLASH_H
#define FLASH_H

#include <stdbool.h>
#include <stdint.h>

#define FLASH_SECTOR_SIZE 4096u

/** Configures the flash controller (SSI) for serial commands, and reads the id of the flash. */
void flash_start(void);

/** Returns the unique 64-bit id of this flash, which serves as the id of the board. */
uint64_t flash_id(void);

/** Reads bytes. The flash must not be busy. */
void flash_read(uint32_t address, void *bytes, uint16_t size);

/** Begins to erase a sector. The erasure takes 45 ms typically and 400 ms at most. */
void flash_erase(uint32_t address);

/** Begins to write bytes within an erased page of 256 bytes. The write takes up to 3 ms. */
void flash_write(uint32_t address, const void *bytes, uint16_t size);

/** True while the flash is erasing or writing. */
bool flash_is_busy(void);

#endif
