// The clock of the board. It has the same rate as avr-board's clock, so that tests interpret the
// cycles of both boards in the same way.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 16000000u
#define CYCLES_PER_US 16u

#endif
