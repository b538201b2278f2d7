// Which blocks are held in reset, and why the chip was: RESETS, PSM, VREG_AND_CHIP_RESET and
// SYSINFO (data sheet 2.12 to 2.14, 2.20).
#ifndef RESETS_H
#define RESETS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

struct resets {
    struct machine *machine;
    uint32_t held;         // RESETS: a bit for each block that is in reset
    uint32_t watchdog_all; // PSM WDSEL: what the watchdog resets
    uint32_t cause;        // CHIP_RESET
};

void resets_init(struct resets *resets, struct machine *machine);

// All blocks are held in reset.
void resets_reset(struct resets *resets);
// What CHIP_RESET says: power, or else the RUN pin.
void resets_set_cause(struct resets *resets, bool is_power);

// Lets these blocks out of reset.
void resets_release(struct resets *resets, uint32_t blocks);

// The image has told the power-on state machine to reset all but the oscillators: anything else is
// not modelled.
bool resets_by_watchdog(const struct resets *resets);

#endif
