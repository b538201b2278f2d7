#include "resets.h"

#include "machine.h"

enum { RESETS_RESET = 0x0, RESETS_WDSEL = 0x4, RESETS_DONE = 0x8 };
enum { PSM_WDSEL = 0x8, PSM_DONE = 0xC };
enum { CHIP_RESET = 0x8 };
enum { CHIP_ID = 0x0, PLATFORM = 0x4 };

#define RESETS_ALL 0x01FFFFFFu
#define PSM_ALL 0x1FFFFu
#define PSM_OSCILLATORS 0x3u // ROSC and XOSC
#define HAD_POR (1u << 8)
#define HAD_RUN (1u << 16)
#define CHIP_ID_B2 0x20002927u
#define PLATFORM_ASIC 0x2u

// ---- RESETS ----

static uint32_t read_resets(void *owner, uint32_t offset) {
    const struct resets *resets = owner;
    uint32_t done = ~resets->held & RESETS_ALL;
    switch (offset) {
    case RESETS_RESET:
        return resets->held;
    case RESETS_WDSEL:
        return 0;
    case RESETS_DONE: // a block whose clock does not run stays in reset
        return clocks_usb_runs(&resets->machine->clocks) ? done : done & ~RESETS_USBCTRL;
    default:
        machine_not_modelled(resets->machine, "RESETS", offset);
    }
}

static void hold(struct resets *resets, uint32_t blocks) {
    resets->held |= blocks;
    machine_reset_blocks(resets->machine, blocks);
}

void resets_release(struct resets *resets, uint32_t blocks) { resets->held &= ~blocks; }

static void write_resets(void *owner, uint32_t offset, uint32_t value) {
    struct resets *resets = owner;
    if (offset != RESETS_RESET) {
        machine_not_modelled(resets->machine, "RESETS", offset);
    }
    machine_check_bits(resets->machine, "RESETS", offset, value, RESETS_ALL);
    resets_release(resets, ~value);
    hold(resets, value);
}

// ---- PSM ----

static uint32_t read_psm(void *owner, uint32_t offset) {
    const struct resets *resets = owner;
    switch (offset) {
    case PSM_WDSEL:
        return resets->watchdog_all;
    case PSM_DONE:
        return PSM_ALL;
    default:
        machine_not_modelled(resets->machine, "PSM", offset);
    }
}

static void write_psm(void *owner, uint32_t offset, uint32_t value) {
    struct resets *resets = owner;
    if (offset != PSM_WDSEL) {
        machine_not_modelled(resets->machine, "PSM", offset);
    }
    machine_check_bits(resets->machine, "PSM", offset, value, PSM_ALL);
    resets->watchdog_all = value;
}

bool resets_by_watchdog(const struct resets *resets) {
    return resets->watchdog_all == (PSM_ALL & ~PSM_OSCILLATORS);
}

// ---- VREG_AND_CHIP_RESET, SYSINFO ----

static uint32_t read_cause(void *owner, uint32_t offset) {
    const struct resets *resets = owner;
    if (offset != CHIP_RESET) {
        machine_not_modelled(resets->machine, "VREG_AND_CHIP_RESET", offset);
    }
    return resets->cause;
}

static void write_cause(void *owner, uint32_t offset, uint32_t value) {
    const struct resets *resets = owner;
    (void)value;
    machine_not_modelled(resets->machine, "VREG_AND_CHIP_RESET", offset);
}

static uint32_t read_system(void *owner, uint32_t offset) {
    const struct resets *resets = owner;
    switch (offset) {
    case CHIP_ID:
        return CHIP_ID_B2;
    case PLATFORM:
        return PLATFORM_ASIC;
    default:
        machine_not_modelled(resets->machine, "SYSINFO", offset);
    }
}

static void write_system(void *owner, uint32_t offset, uint32_t value) {
    const struct resets *resets = owner;
    (void)value;
    machine_not_modelled(resets->machine, "SYSINFO", offset);
}

// ---- Set-up ----

void resets_reset(struct resets *resets) {
    resets->watchdog_all = 0;
    hold(resets, RESETS_ALL);
}

void resets_set_cause(struct resets *resets, bool is_power) {
    resets->cause = is_power ? HAD_POR : HAD_RUN;
}

void resets_init(struct resets *resets, struct machine *machine) {
    *resets = (struct resets){.machine = machine, .held = RESETS_ALL};
    const struct registers blocks[] = {
        {.name = "RESETS", .base = 0x4000C000, .read = read_resets, .write = write_resets},
        {.name = "PSM", .base = 0x40010000, .read = read_psm, .write = write_psm},
        {.name = "VREG_AND_CHIP_RESET",
         .base = 0x40064000,
         .read = read_cause,
         .write = write_cause},
        {.name = "SYSINFO",
         .base = 0x40000000,
         .supply = {.resets = RESETS_SYSINFO},
         .read = read_system,
         .write = write_system},
    };
    for (unsigned index = 0; index < sizeof blocks / sizeof blocks[0]; index++) {
        struct registers registers = blocks[index];
        registers.owner = resets;
        machine_add_registers(machine, &registers);
    }
}
