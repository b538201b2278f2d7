// The clock of the board. Its rate is that of avr-board, so that tests interpret both in the same
// way.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 16000000u
#define CYCLES_PER_US 16u

#endif
