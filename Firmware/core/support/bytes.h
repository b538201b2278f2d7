/* Little-endian integers in byte arrays, as on the wire. */
#ifndef BRIDGE_BYTES_H
#define BRIDGE_BYTES_H

#include <stdint.h>

uint16_t bridge_u16(const uint8_t *bytes);
uint32_t bridge_u32(const uint8_t *bytes);

/** Writes an integer at `at`, and returns the address after it. */
uint8_t *bridge_put_u32(uint8_t *at, uint32_t value);

#endif
