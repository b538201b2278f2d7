// The clock that cycles count: as many a microsecond as in avr-board, so that tests read both
// alike.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 16000000u
#define CYCLES_PER_US 16u

#endif
