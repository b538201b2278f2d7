// The resets of blocks, and the cause of the reset of the chip: RESETS, PSM, VREG_AND_CHIP_RESET
// and SYSINFO (datasheet 2.12 to 2.14, 2.20).
#ifndef RESETS_H
#define RESETS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

struct resets {
    struct machine *machine;
    uint32_t held;         // RESETS: a bit for each block that is in reset
    uint32_t watchdog_all; // PSM WDSEL: the blocks that the watchdog resets
    uint32_t cause;        // CHIP_RESET
};

void resets_init(struct resets *resets, struct machine *machine);

// Puts all blocks into reset.
void resets_reset(struct resets *resets);
// Sets CHIP_RESET to its value after power-up, or after a reset by the RUN pin.
void resets_set_cause(struct resets *resets, bool is_power);

// Releases the given blocks from reset.
void resets_release(struct resets *resets, uint32_t blocks);

// Returns true if, according to PSM_WDSEL, the watchdog resets everything except the oscillators.
// Other settings are not modeled.
bool resets_by_watchdog(const struct resets *resets);

#endif
