// A reading of a memory that goes wrong once.
#ifndef MISREADING_H
#define MISREADING_H

#include <stdint.h>

struct misreading {
    uint64_t after; // the readings before it
    uint8_t bits;   // those that are read wrongly; 0: no reading goes wrong
};

// The value that a reading returns.
static inline uint8_t misread(struct misreading *misreading, uint8_t value) {
    if (misreading->bits == 0 || misreading->after-- > 0) {
        return value;
    }
    value ^= misreading->bits;
    misreading->bits = 0;
    return value;
}

#endif
