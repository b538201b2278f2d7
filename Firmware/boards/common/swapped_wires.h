/*
 * A test for SDA and SCL that are swapped between the board and a chip.
 *
 * A board includes this header after it has defined BUS_LINES, the type of a mask of lines, and
 * pull_low(lines), which pulls lines low for half a clock and releases the others.
 */
#ifndef SWAPPED_WIRES_H
#define SWAPPED_WIRES_H

#include <stdbool.h>
#include <stdint.h>

/** Sends an address byte for a write with swapped lines. Returns true if a chip acknowledges it,
    whose wires are therefore swapped. A chip whose wires are correct receives only START and STOP
    conditions and less than a byte between them. EN must be low. */
static inline bool is_acknowledged_on_swapped_wires(uint8_t address_byte, BUS_LINES sda,
                                                    BUS_LINES scl, bool (*is_low)(BUS_LINES)) {
    const BUS_LINES clock = sda;
    const BUS_LINES data = scl;
    BUS_LINES bit = data;
    pull_low(data); /* START */
    for (uint8_t left = 9; left; left--) {
        pull_low(clock | bit);
        bit = address_byte & 0x80 ? 0 : data;
        address_byte = (uint8_t)(address_byte << 1 | 1);
        pull_low(clock | bit);
        pull_low(bit);
    }
    bool acknowledged = is_low(data);
    pull_low(clock);
    pull_low(clock | data);
    pull_low(data); /* STOP */
    pull_low(0);
    return acknowledged && !is_low(data);
}

#endif
