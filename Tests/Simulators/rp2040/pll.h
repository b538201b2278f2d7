// PLL_SYS and PLL_USB (datasheet 2.18), whose input is the 12 MHz crystal.
#ifndef PLL_H
#define PLL_H

#include "clocks.h"

#define CRYSTAL_MHZ 12u

void pll_init(struct pll *pll, struct clocks *clocks, const char *name, uint32_t base,
              uint32_t resets);

// Returns the output frequency, or 0 if the PLL does not run.
uint32_t pll_mhz(const struct pll *pll);

// Only for clocks.c.
bool clocks_crystal_runs(const struct clocks *clocks);
bool clocks_use_pll(const struct clocks *clocks, const struct pll *pll);

#endif
