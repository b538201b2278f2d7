// The drive that the boot ROM presents in BOOTSEL, simulated by a folder RPI-RP2 on the host's side
// (datasheet 2.8.4, usb_msc and virtual_disk.c of the boot ROM). A file that is copied into this
// folder is processed block by block.
#ifndef BOOTSEL_H
#define BOOTSEL_H

#include "flash_chip.h"
#include "uf2.h"

#define BOOTSEL_PATH_MAX 4096u
#define BOOTSEL_FILES 8u

// A file in the folder, and the number of its bytes that have been processed.
struct bootsel_file {
    uint64_t inode; // 0 if the entry is unused
    long taken;
};

struct bootsel {
    struct machine *machine;
    struct flash_chip *flash;
    // The folder in which the drive's folder RPI-RP2 is created; NULL if there is none.
    const char *parent;
    bool is_open;
    struct uf2 uf2;
    struct bootsel_file files[BOOTSEL_FILES];
    struct event restart; // the restart, which follows the last block after a delay
};

void bootsel_init(struct bootsel *bootsel, struct machine *machine, struct flash_chip *flash,
                  const char *parent);

// Begin and end the period in which the boot ROM waits for a file.
void bootsel_open(struct bootsel *bootsel);
void bootsel_close(struct bootsel *bootsel);

// Processes the parts of files that have been copied since the last call.
void bootsel_poll(struct bootsel *bootsel);

#endif
