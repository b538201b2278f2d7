// The clock that cycles count: the crystal's.
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_HZ 16000000u
#define CYCLES_PER_US 16u

#endif
