/* Copies of bytes, which compilers convert to plain loads and stores if alignment permits. */
#include "bytes.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers must have the same byte order in memory as on the wire");

uint16_t bridge_u16(const uint8_t *bytes) {
    uint16_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

uint32_t bridge_u32(const uint8_t *bytes) {
    uint32_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

uint8_t *bridge_put_u32(uint8_t *at, uint32_t value) {
    __builtin_memcpy(at, &value, sizeof value);
    return at + sizeof value;
}
