// The sources of the clocks: ROSC, XOSC, PLL_SYS, PLL_USB and CLOCKS (data sheet 2.15 to 2.18).
//
// The crystal has 12 MHz. ROSC is taken to have 6 MHz: after a reset it may have 1.8 to 12 MHz. A
// clk_sys that does not fit into cycles of 48 MHz is not modelled.
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
    // CLOCKS: the CTRL registers
    uint32_t ref;
    uint32_t sys;
    uint32_t peri;
    uint32_t usb;
};

void clocks_init(struct clocks *clocks, struct machine *machine);

// Resets the clocks with the chip. In a reset by the watchdog the crystal keeps running, but
// clk_sys comes from ROSC again.
void clocks_reset(struct clocks *clocks, bool stops_crystal);

// Cycles of 48 MHz in one of clk_sys, and in one of clk_ref.
uint32_t clocks_sys_period(const struct clocks *clocks);
uint32_t clocks_ref_period(const struct clocks *clocks);
bool clocks_usb_runs(const struct clocks *clocks);

#endif
