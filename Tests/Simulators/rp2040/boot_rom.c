#include "boot_rom.h"

#include "machine.h"

#include <stddef.h>

#define BOOT2_SIZE 256u
#define BOOT2_ADDRESS 0x20041F00u
#define ROM_STACK_SIZE 256u // the number of bytes below boot2

// An attempt to read the second stage takes 4 ms at the usual frequency of ROSC, and there are 128
// attempts (bootrom_main.c).
#define ATTEMPT_CYCLES (4u * CYCLES_PER_MS)
#define ATTEMPTS_MAX 128u

// reset_usb_boot uses the watchdog to restart the chip after 10 ms.
#define RESTART_CYCLES (10u * CYCLES_PER_MS)

#define CRC_POLYNOMIAL 0x04C11DB7u

// ---- Contents ----

#define CODE(a, b) ((uint16_t)((a) | (b) << 8))

enum {
    VERSION = 0x13,
    FUNCTION_TABLE = 0x1C,
    DATA_TABLE = 0x22,
    LOOKUP = 0x24,
    RESET_USB_BOOT = 0x38
};

static const uint16_t contents[] = {
    0x1F00,
    0x2004, // 00 the initial stack pointer
    ROM_LOOP | 1,
    0, // 04 reset: handled by boot_rom_start
    ROM_LOOP | 1,
    0, // 08 NMI
    ROM_LOOP | 1,
    0, // 0c HardFault
    CODE('M', 'u'),
    0x0001,         // 10 magic number and version
    FUNCTION_TABLE, // 14
    DATA_TABLE,     // 16
    LOOKUP | 1,
    0,                  // 18
    CODE('U', 'B'),     // 1c the function table
    RESET_USB_BOOT | 1, // 1e
    0,                  // 20
    0,                  // 22 the data table
    0x8802,             // 24 lookup(r0: table, r1: code): ldrh r2, [r0]
    0x428A,             // 26 cmp r2, r1
    0xD004,             // 28 beq 34
    0x3004,             // 2a adds r0, #4
    0x2A00,             // 2c cmp r2, #0
    0xD1F9,             // 2e bne 24
    0x2000,             // 30 movs r0, #0
    0x4770,             // 32 bx lr
    0x8840,             // 34 ldrh r0, [r0, #2]
    0x4770,             // 36 bx lr
    0xBE00,             // 38 reset_usb_boot: bkpt, which calls boot_rom_break
    0xBF30,             // 3a wfi
    0xE7FD,             // 3c b 3a
    0xE7FE,             // 3e b 3e
};

uint8_t boot_rom_byte(const struct boot_rom *rom, uint32_t address) {
    if (address == VERSION) {
        return rom->version;
    }
    if (address >= sizeof contents) {
        return 0;
    }
    return (uint8_t)(contents[address / 2] >> 8 * (address % 2));
}

// ---- Boot ----

// Calculates a CRC, beginning with the most significant bit, without a final XOR (2.8.1.3.1).
static uint32_t crc32(const uint8_t *bytes, size_t count) {
    uint32_t crc = UINT32_MAX;
    for (size_t index = 0; index < count; index++) {
        crc ^= (uint32_t)bytes[index] << 24;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc << 1 ^ (crc >> 31 ? CRC_POLYNOMIAL : 0);
        }
    }
    return crc;
}

static bool is_bootable(const uint8_t boot2[BOOT2_SIZE]) {
    uint32_t crc = 0;
    for (unsigned byte = 0; byte < sizeof crc; byte++) {
        crc |= (uint32_t)boot2[BOOT2_SIZE - sizeof crc + byte] << 8 * byte;
    }
    return crc == crc32(boot2, BOOT2_SIZE - sizeof crc);
}

static void enter_bootsel(struct boot_rom *rom, uint64_t when) {
    struct machine *machine = rom->machine;
    rom->state = BOOT_USB;
    machine->board.enter_bootsel(machine->board.owner, when);
}

static void start_image(struct boot_rom *rom) {
    rom->state = BOOT_DONE;
    m0_reset(&rom->machine->cpu, BOOT2_ADDRESS, BOOT2_ADDRESS | 1);
}

static void on_attempt(void *owner, uint64_t when) {
    struct boot_rom *rom = owner;
    struct machine *machine = rom->machine;
    uint8_t *boot2 = &machine->sram[BOOT2_ADDRESS - SRAM_BASE];
    if (machine->has_bootsel_button) {
        enter_bootsel(rom, when);
        return;
    }
    machine->board.read_flash(machine->board.owner, 0, boot2, BOOT2_SIZE);
    if (is_bootable(boot2)) {
        start_image(rom);
    } else if (++rom->attempts == ATTEMPTS_MAX) {
        enter_bootsel(rom, when);
    } else {
        schedule_at(machine->schedule, &rom->attempt_ends, when + ATTEMPT_CYCLES);
    }
}

void boot_rom_start(struct boot_rom *rom) {
    struct machine *machine = rom->machine;
    boot_rom_stop(rom);
    resets_release(&machine->resets, RESETS_IO_QSPI | RESETS_PADS_QSPI | RESETS_TIMER);
    for (uint32_t byte = 1; byte <= ROM_STACK_SIZE; byte++) {
        machine->sram[BOOT2_ADDRESS - SRAM_BASE - byte] = 0;
    }
    rom->state = BOOT_ROM;
    rom->attempts = 0;
    schedule_at(machine->schedule, &rom->attempt_ends, machine->now + ATTEMPT_CYCLES);
}

void boot_rom_stop(struct boot_rom *rom) {
    rom->state = BOOT_STOPPED;
    schedule_cancel(rom->machine->schedule, &rom->attempt_ends);
    schedule_cancel(rom->machine->schedule, &rom->restart);
}

// ---- reset_usb_boot ----

static void on_restart(void *owner, uint64_t when) {
    struct boot_rom *rom = owner;
    machine_restart_in_bootsel(rom->machine);
    boot_rom_stop(rom);
    enter_bootsel(rom, when);
}

bool boot_rom_break(struct boot_rom *rom) {
    struct machine *machine = rom->machine;
    struct m0 *cpu = &machine->cpu;
    if (cpu->r[M0_PC] != RESET_USB_BOOT) {
        return false;
    }
    watchdog_start_by_rom(&machine->watchdog, cpu->r[0], cpu->r[1]);
    schedule_at(machine->schedule, &rom->restart, machine->now + RESTART_CYCLES);
    return true;
}

void boot_rom_init(struct boot_rom *rom, struct machine *machine) {
    *rom = (struct boot_rom){.machine = machine, .state = BOOT_STOPPED};
    schedule_add(machine->schedule, &rom->attempt_ends, on_attempt, rom);
    schedule_add(machine->schedule, &rom->restart, on_restart, rom);
}
