// The clock of the board: that of PLL_USB, running since power-up of the program.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 48000000u
#define CYCLES_PER_US 48u

#endif
