#include "random.h"

struct random random_from(uint64_t seed) {
    return (struct random){.state = seed};
}

// SplitMix64 (Steele, Lea, Flood 2014). Any seed is suitable, including 0.
uint8_t random_byte(struct random *random) {
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = random->state;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint8_t)(mixed ^ mixed >> 31);
}
