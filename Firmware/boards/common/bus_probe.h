/*
 * A test of whether a chip acknowledges an address. Software controls SDA and SCL during the test.
 *
 * Before a board includes this header, it defines three names: BUS_LINES, the type of a mask of
 * lines; pull_low(lines), which pulls lines low for half a clock and releases all other lines; and
 * is_low(line), which returns whether a line is low.
 */
#ifndef BUS_PROBE_H
#define BUS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/** Sends an address byte for a write, followed by STOP. Returns true if a chip acknowledges the
    byte.

    `clock` is SCL, and `data` is SDA. If a chip acknowledges the byte when the two arguments are
    interchanged, the wires of the chip are swapped. EN must be low during that test; a chip whose
    wires are correct then receives only START and STOP conditions, with less than a byte between
    them. */
static bool is_address_acknowledged(uint8_t address_byte, BUS_LINES clock, BUS_LINES data) {
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
