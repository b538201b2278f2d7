// The boot ROM (datasheet 2.8), which starts the second stage in flash, or BOOTSEL, after a reset.
// The contents of its memory are specific to the simulator: the only function is reset_usb_boot,
// which images call.
#ifndef BOOT_ROM_H
#define BOOT_ROM_H

#include "../common/schedule.h"

#include <stdbool.h>
#include <stdint.h>

#define ROM_SIZE 0x4000u

// The address of an endless loop.
#define ROM_LOOP 0x3Eu

// The version of the boot ROM, which identifies the revision of the chip: 1 is B0, 2 is B1.
#define ROM_VERSION_B2 3u

struct machine;

enum boot_state {
    BOOT_ROM,     // the ROM reads the flash
    BOOT_DONE,    // the image runs
    BOOT_USB,     // BOOTSEL is active
    BOOT_STOPPED, // there is no power
};

struct boot_rom {
    struct machine *machine;
    uint8_t version;
    enum boot_state state;
    unsigned attempts;
    struct event attempt_ends;
    struct event restart; // a scheduled restart into BOOTSEL
};

void boot_rom_init(struct boot_rom *rom, struct machine *machine);

// Begins the boot process when the processor starts.
void boot_rom_start(struct boot_rom *rom);
// Ends the boot process when the power is switched off.
void boot_rom_stop(struct boot_rom *rom);

uint8_t boot_rom_byte(const struct boot_rom *rom, uint32_t address);

// Executes BKPT. Returns false if the instruction is not in the ROM.
bool boot_rom_break(struct boot_rom *rom);

#endif
