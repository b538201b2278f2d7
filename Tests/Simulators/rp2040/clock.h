// The clock of the board: the clock of PLL_USB, which runs from power-up of the program on.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 48000000u
#define CYCLES_PER_US 48u

#endif
