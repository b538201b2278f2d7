// The clock of the board, whose rate is the frequency of the crystal.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 16000000u
#define CYCLES_PER_US 16u

#endif
