// A generator of pseudorandom bytes, which depend only on the seed.
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

struct random random_from(uint64_t seed);
uint8_t random_byte(struct random *random);

#endif
