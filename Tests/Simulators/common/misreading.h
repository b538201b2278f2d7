// A single incorrect reading of a memory.
#ifndef MISREADING_H
#define MISREADING_H

#include <stdint.h>

struct misreading {
    uint64_t after; // the number of correct readings before the wrong reading
    uint8_t bits;   // the mask of the bits that are inverted; 0 if all readings are correct
};

// Returns the result of a reading of `value`.
static inline uint8_t misread(struct misreading *misreading, uint8_t value) {
    if (misreading->bits == 0 || misreading->after-- > 0) {
        return value;
    }
    value ^= misreading->bits;
    misreading->bits = 0;
    return value;
}

#endif
