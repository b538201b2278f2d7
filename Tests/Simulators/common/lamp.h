// The board's own LED: the time for which it has been lit.
#ifndef LAMP_H
#define LAMP_H

#include <stdbool.h>
#include <stdint.h>

struct lamp {
    bool is_lit;
    uint64_t lit_from; // while it is lit
    uint64_t lit;      // cycles, up to the last time that it went out
};

// Switches the LED at a cycle.
void lamp_set(struct lamp *lamp, uint64_t now, bool on);

// The cycles for which it has been lit until now.
uint64_t lamp_lit(const struct lamp *lamp, uint64_t now);

#endif
