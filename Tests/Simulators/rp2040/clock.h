// The clock of the board, which is the clock of PLL_USB. The simulator counts its cycles from the
// first power-up.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 48000000u
#define CYCLES_PER_US 48u

#endif
