// Intel hex files as flashing tools take them: record types 00 to 05.
#ifndef INTEL_HEX_H
#define INTEL_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Copies the contents of the file into `memory`, by address, which has room for the addresses from
// `first` up to `end`. Returns false, and prints the reason on standard error, if the file can not
// be read, is not whole, or has data elsewhere; else the address of its first byte in `lowest`.
bool intel_hex_load(const char *path, uint8_t *memory, uint32_t first, uint32_t end,
                    uint32_t *lowest);

#endif
