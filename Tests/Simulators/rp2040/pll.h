// PLL_SYS and PLL_USB (data sheet 2.18), behind the crystal of 12 MHz.
#ifndef PLL_H
#define PLL_H

#include "clocks.h"

#define CRYSTAL_MHZ 12u

void pll_init(struct pll *pll, struct clocks *clocks, const char *name, uint32_t base,
              uint32_t resets);

// The frequency of the output, 0 if it does not run.
uint32_t pll_mhz(const struct pll *pll);

// Private to clocks.c.
bool clocks_crystal_runs(const struct clocks *clocks);
bool clocks_use_pll(const struct clocks *clocks, const struct pll *pll);

#endif
