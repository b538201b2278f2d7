// The flash chip: a W25Q16JV of 2 MB, with the commands of its standard SPI (datasheet revision H,
// section 8). The contents of the chip survive a loss of power and, if they are stored in a file,
// the end of the simulator.
#ifndef FLASH_CHIP_H
#define FLASH_CHIP_H

#include "machine.h"
#include "misreading.h"
#include "random.h"

#include <stdio.h>

#define FLASH_SIZE 0x200000u
#define FLASH_SECTOR 4096u
#define FLASH_PAGE 256u

enum flash_work { FLASH_RESTS, FLASH_ERASES, FLASH_PROGRAMS };

struct flash_chip {
    struct machine *machine;
    uint8_t cells[FLASH_SIZE];
    struct misreading misreading; // an incorrect reading of the bytes that Read Data returns
    bool worn[FLASH_SIZE /
              FLASH_SECTOR]; // worn sectors, which keep their contents when they are written
    FILE *file;              // NULL if there is no file
    struct random random;    // the generator of random contents after a loss of power
    uint64_t unique_id;

    // The current command.
    bool is_selected;
    uint8_t command;
    uint32_t count; // the number of received bytes
    uint32_t address;
    uint8_t page[FLASH_PAGE];
    bool is_in_page[FLASH_PAGE];

    bool is_write_enabled; // WEL
    enum flash_work work;  // WIP
    uint32_t work_address;
    struct event work_ends;
};

// Initializes an erased chip. If `path` is not NULL, the chip is initialized with the contents of
// this file, if the file exists, and changes are written to the file. Returns false, and prints the
// reason on standard error, if the file cannot be used.
bool flash_chip_init(struct flash_chip *flash, struct machine *machine, const char *path,
                     uint64_t seed);

// Stores cells that were changed without a command to the chip in the file.
void flash_chip_save(struct flash_chip *flash, uint32_t address, size_t size);

// Sets CS low.
void flash_chip_select(struct flash_chip *flash, bool on);
// Sets CS high because the controller was reset. An incomplete command then has no effect.
void flash_chip_let_go(struct flash_chip *flash);
// Exchanges a byte in each direction.
uint8_t flash_chip_exchange(struct flash_chip *flash, uint8_t byte);

bool flash_chip_is_busy(const struct flash_chip *flash);
// Returns a byte of the contents as a read command returns it. While the chip is busy, the returned
// byte differs from the contents.
uint8_t flash_chip_read(const struct flash_chip *flash, uint32_t address);

// Cuts the power. Bytes that were being erased or programmed become random.
void flash_chip_power_off(struct flash_chip *flash);

#endif
