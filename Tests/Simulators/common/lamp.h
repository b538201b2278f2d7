// The board's own LED, and the time for which the LED has been lit.
#ifndef LAMP_H
#define LAMP_H

#include <stdbool.h>
#include <stdint.h>

struct lamp {
    bool is_lit;
    uint64_t lit_from; // the cycle at which the LED was switched on, while it is lit
    uint64_t lit; // the number of cycles for which the LED was lit until it was last switched off
};

// Switches the LED at a cycle.
void lamp_set(struct lamp *lamp, uint64_t now, bool on);

// Returns the number of cycles for which the LED has been lit so far.
uint64_t lamp_lit(const struct lamp *lamp, uint64_t now);

#endif
