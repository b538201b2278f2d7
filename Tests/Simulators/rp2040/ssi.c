#include "ssi.h"

#include <string.h>

#define SSI_NAME "SSI"
#define SSI_BASE 0x18000000u
#define CTRLR0 0x00u
#define CTRLR0_DFS_32(control) ((control) >> 16 & 0x1F)
#define CTRLR0_TMOD(control) ((control) >> 8 & 3)
#define CTRLR0_MODELLED 0x001F0300u // DFS_32, TMOD; FRF 0 is standard SPI
#define TMOD_BOTH 0u
#define TMOD_EEPROM_READ 3u
#define CTRLR1 0x04u
#define SSIENR 0x08u
#define SER 0x10u
#define BAUDR 0x14u
#define TXFLR 0x20u
#define RXFLR 0x24u
#define SR 0x28u
#define SR_BUSY (1u << 0)
#define SR_TFNF (1u << 1)
#define SR_TFE (1u << 2)
#define SR_RFNE (1u << 3)
#define SR_RFF (1u << 4)
#define DR0 0x60u
#define SPI_CTRLR0 0xF4u
// Command 03h: 8 bits of instruction, 24 bits of address, one data line, no wait cycles (4.10.11).
#define SPI_CTRLR0_READ_03H 0x03000218u

#define IO_QSPI_NAME "IO_QSPI"
#define IO_QSPI_BASE 0x40018000u
#define SS_CTRL 0x0Cu
#define SS_CTRL_OUTOVER(control) ((control) >> 8 & 3)
#define SS_CTRL_OUTOVER_BITS (3u << 8)
#define OUTOVER_LOW 2u

#define XIP_BASE 0x10000000u
#define LINE_SIZE 8u
#define FRAMES_BITS 64u // the command 03h, an address, and 32 bits of data

#define BYTE_BITS 8u

// ---- Frames ----

static uint64_t cycles_per_bit(const struct ssi *ssi) {
    if (ssi->divider == 0 || ssi->divider % 2 != 0) {
        machine_crash(ssi->machine, "SSI: invalid divider BAUDR %u", ssi->divider);
    }
    return (uint64_t)ssi->divider * clocks_sys_period(&ssi->machine->clocks);
}

static bool is_busy(const struct ssi *ssi) { return ssi->machine->now < ssi->busy_until; }

static uint32_t count_received(const struct ssi *ssi) {
    uint32_t count = 0;
    while (count < ssi->received_count && ssi->received[count].ready_at <= ssi->machine->now) {
        count++;
    }
    return count;
}

// Pushes a frame, which is exchanged immediately. The received frame can be read when the time of
// the transmission has elapsed.
static void push(struct ssi *ssi, uint32_t value) {
    if (!ssi->is_enabled || CTRLR0_TMOD(ssi->control0) != TMOD_BOTH ||
        CTRLR0_DFS_32(ssi->control0) != BYTE_BITS - 1 || ssi->slaves == 0) {
        machine_crash(ssi->machine,
                      "SSI: data while it is not enabled for 8-bit frames in both directions");
    }
    if (!ssi->flash->is_selected) {
        machine_crash(ssi->machine, "SSI: data without CS by OUTOVER is not modeled");
    }
    if (ssi->received_count == SSI_FIFO) {
        machine_crash(ssi->machine, "SSI: a FIFO overflows");
    }
    uint64_t now = ssi->machine->now;
    uint64_t begins = now > ssi->busy_until ? now : ssi->busy_until;
    ssi->busy_until = begins + BYTE_BITS * cycles_per_bit(ssi);
    ssi->received[ssi->received_count++] = (struct ssi_frame){
        .byte = flash_chip_exchange(ssi->flash, (uint8_t)value), .ready_at = ssi->busy_until};
}

static uint32_t pop(struct ssi *ssi) {
    if (count_received(ssi) == 0) {
        machine_crash(ssi->machine, "SSI: a read of its empty receive FIFO");
    }
    uint8_t byte = ssi->received[0].byte;
    ssi->received_count--;
    memmove(&ssi->received[0], &ssi->received[1], ssi->received_count * sizeof ssi->received[0]);
    return byte;
}

static uint32_t status(const struct ssi *ssi) {
    uint32_t received = count_received(ssi);
    uint32_t waiting = ssi->received_count - received;
    uint32_t status = is_busy(ssi) ? SR_BUSY : 0;
    status |= ssi->received_count < SSI_FIFO ? SR_TFNF : 0;
    status |= waiting <= 1 ? SR_TFE : 0; // because the last frame is in the shift register
    status |= received != 0 ? SR_RFNE : 0;
    return status | (received == SSI_FIFO ? SR_RFF : 0);
}

// ---- XIP ----

static void check_xip(const struct ssi *ssi) {
    bool is_set_up = ssi->is_enabled && ssi->slaves != 0 &&
                     CTRLR0_TMOD(ssi->control0) == TMOD_EEPROM_READ &&
                     CTRLR0_DFS_32(ssi->control0) == 31 && ssi->control1 == 0 &&
                     ssi->xip_control == SPI_CTRLR0_READ_03H;
    if (!is_set_up) {
        machine_crash(ssi->machine,
                      "the flash is read as memory, but the SSI is not set up for it");
    }
    if (flash_chip_is_busy(ssi->flash)) {
        machine_crash(ssi->machine, "the flash is read as memory while it is busy");
    }
}

static bool has_line(const struct ssi *ssi, uint32_t line) {
    const uint32_t *ways = ssi->lines[line % XIP_SETS];
    return ways[0] == line + 1 || ways[1] == line + 1;
}

// Handles an access to the flash. A cache miss takes the time of one command for each word of the
// cache line (2.6.3.1).
static void before_xip(void *owner, uint32_t offset) {
    struct ssi *ssi = owner;
    uint32_t line = offset / LINE_SIZE;
    check_xip(ssi);
    if (!has_line(ssi, line)) {
        uint8_t *way = &ssi->next_way[line % XIP_SETS];
        ssi->lines[line % XIP_SETS][*way] = line + 1;
        *way = (uint8_t)((*way + 1) % XIP_WAYS);
        machine_wait(ssi->machine, LINE_SIZE / 4 * FRAMES_BITS * ssi->divider);
    }
}

// ---- Registers ----

static uint32_t peek(void *owner, uint32_t offset) {
    const struct ssi *ssi = owner;
    switch (offset) {
    case CTRLR0:
        return ssi->control0;
    case CTRLR1:
        return ssi->control1;
    case SSIENR:
        return ssi->is_enabled;
    case SER:
        return ssi->slaves;
    case BAUDR:
        return ssi->divider;
    case TXFLR:
        return ssi->received_count - count_received(ssi);
    case RXFLR:
        return count_received(ssi);
    case SR:
        return status(ssi);
    case SPI_CTRLR0:
        return ssi->xip_control;
    default:
        return 0;
    }
}

static uint32_t read(void *owner, uint32_t offset) {
    struct ssi *ssi = owner;
    switch (offset) {
    case DR0:
        return pop(ssi);
    case CTRLR0:
    case CTRLR1:
    case SSIENR:
    case SER:
    case BAUDR:
    case TXFLR:
    case RXFLR:
    case SR:
    case SPI_CTRLR0:
        return peek(ssi, offset);
    default:
        machine_not_modelled(ssi->machine, SSI_NAME, offset);
    }
}

static void set_up(struct ssi *ssi, uint32_t offset, uint32_t *stored, uint32_t value,
                   uint32_t bits) {
    machine_check_bits(ssi->machine, SSI_NAME, offset, value, bits);
    if (ssi->is_enabled) {
        machine_crash(ssi->machine, "SSI: register 0x%02x written while the unit is enabled",
                      offset);
    }
    *stored = value;
}

static void enable(struct ssi *ssi, uint32_t value) {
    machine_check_bits(ssi->machine, SSI_NAME, SSIENR, value, 1);
    if (is_busy(ssi)) {
        machine_crash(ssi->machine, "SSI disabled while it is busy");
    }
    ssi->is_enabled = value != 0;
    if (!ssi->is_enabled) {
        ssi->received_count = 0;
    }
}

static void write(void *owner, uint32_t offset, uint32_t value) {
    struct ssi *ssi = owner;
    switch (offset) {
    case CTRLR0:
        set_up(ssi, offset, &ssi->control0, value, CTRLR0_MODELLED);
        break;
    case CTRLR1:
        set_up(ssi, offset, &ssi->control1, value, 0xFFFF);
        break;
    case SSIENR:
        enable(ssi, value);
        break;
    case SER:
        machine_check_bits(ssi->machine, SSI_NAME, offset, value, 1);
        ssi->slaves = value;
        break;
    case BAUDR:
        set_up(ssi, offset, &ssi->divider, value, 0xFFFF);
        break;
    case DR0:
        push(ssi, value);
        break;
    case SPI_CTRLR0:
        set_up(ssi, offset, &ssi->xip_control, value, UINT32_MAX);
        break;
    default:
        machine_not_modelled(ssi->machine, SSI_NAME, offset);
    }
}

// Sets the state of this unit after the boot ROM has read the flash.
static void reset(void *owner) {
    struct ssi *ssi = owner;
    ssi->control0 = TMOD_EEPROM_READ << 8 | 31u << 16;
    ssi->control1 = 0;
    ssi->is_enabled = true;
    ssi->slaves = 1;
    ssi->divider = 6;
    ssi->xip_control = 0;
    ssi->received_count = 0;
    ssi->busy_until = 0;
    memset(ssi->lines, 0, sizeof ssi->lines);
}

// ---- CS ----

static uint32_t read_pins(void *owner, uint32_t offset) {
    const struct ssi *ssi = owner;
    if (offset != SS_CTRL) {
        machine_not_modelled(ssi->machine, IO_QSPI_NAME, offset);
    }
    return ssi->chip_select;
}

static void write_pins(void *owner, uint32_t offset, uint32_t value) {
    struct ssi *ssi = owner;
    if (offset != SS_CTRL) {
        machine_not_modelled(ssi->machine, IO_QSPI_NAME, offset);
    }
    machine_check_bits(ssi->machine, IO_QSPI_NAME, offset, value, SS_CTRL_OUTOVER_BITS);
    ssi->chip_select = value;
    if (is_busy(ssi)) {
        machine_crash(ssi->machine, "CS of the flash changed while the SSI is busy");
    }
    flash_chip_select(ssi->flash, SS_CTRL_OUTOVER(value) == OUTOVER_LOW);
}

// Resets the pins. After a reset, the SSI controls the pins (the boot ROM sets FUNCSEL to 0, XIP).
static void reset_pins(void *owner) {
    struct ssi *ssi = owner;
    ssi->chip_select = 0;
    flash_chip_let_go(ssi->flash);
}

void ssi_init(struct ssi *ssi, struct machine *machine, struct flash_chip *flash) {
    *ssi = (struct ssi){.machine = machine, .flash = flash};
    machine_add_registers(machine, &(struct registers){.name = SSI_NAME,
                                                       .base = SSI_BASE,
                                                       .read = read,
                                                       .peek = peek,
                                                       .write = write,
                                                       .reset = reset,
                                                       .owner = ssi});
    machine_add_registers(machine, &(struct registers){.name = IO_QSPI_NAME,
                                                       .base = IO_QSPI_BASE,
                                                       .supply = {.resets = RESETS_IO_QSPI},
                                                       .read = read_pins,
                                                       .write = write_pins,
                                                       .reset = reset_pins,
                                                       .owner = ssi});
    machine_add_memory(machine, &(struct memory){.name = "flash",
                                                 .base = XIP_BASE,
                                                 .size = FLASH_SIZE,
                                                 .bytes = flash->cells,
                                                 .before = before_xip,
                                                 .owner = ssi});
    reset(ssi);
}
