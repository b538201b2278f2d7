// Intel hex files with record types 00 to 05, which flashing tools support.
#ifndef INTEL_HEX_H
#define INTEL_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Copies the contents of the file into `memory`, which has room for the addresses from `first` to
// `end`, and sets `lowest` to the address of the first byte. Returns false, and prints the reason
// on standard error, if the file cannot be read, is incomplete, or has data at other addresses.
bool intel_hex_load(const char *path, uint8_t *memory, uint32_t first, uint32_t end,
                    uint32_t *lowest);

#endif
