// The sources of the clocks: ROSC, XOSC, PLL_SYS, PLL_USB and CLOCKS (datasheet 2.15 to 2.18).
//
// The crystal has a frequency of 12 MHz. ROSC is assumed to run at 6 MHz; after a reset of a real
// chip, the frequency may be 1.8 to 12 MHz. A clk_sys whose period is not a whole number of cycles
// of 48 MHz is not modeled.
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct clocks;

struct pll {
    struct clocks *clocks;
    const char *name;
    uint32_t control; // CS
    uint32_t power;   // PWR
    uint32_t feedback;
    uint32_t primary; // PRIM
    uint64_t locks_at;
};

struct clocks {
    struct machine *machine;
    // XOSC
    uint32_t crystal_control;
    uint32_t crystal_startup;
    uint64_t crystal_stable_at;
    struct pll pll_sys;
    struct pll pll_usb;
    // the CTRL registers of CLOCKS
    uint32_t ref;
    uint32_t sys;
    uint32_t peri;
    uint32_t usb;
};

void clocks_init(struct clocks *clocks, struct machine *machine);

// Resets the clocks together with the chip. During a reset by the watchdog, the crystal keeps
// running, but clk_sys uses ROSC again.
void clocks_reset(struct clocks *clocks, bool stops_crystal);

// Return the number of cycles of 48 MHz in one cycle of clk_sys and in one cycle of clk_ref.
uint32_t clocks_sys_period(const struct clocks *clocks);
uint32_t clocks_ref_period(const struct clocks *clocks);
bool clocks_usb_runs(const struct clocks *clocks);

#endif
