#include "bridge_bytes.h"

#include "bridge_outline.h"

uint16_t bridge_u16(const uint8_t *bytes) { return (uint16_t)(bytes[0] | (uint16_t)bytes[1] << 8); }

uint32_t bridge_u32(const uint8_t *bytes) {
    return bridge_u16(bytes) | (uint32_t)bridge_u16(bytes + 2) << 16;
}

BRIDGE_OUTLINE uint8_t *bridge_put_u32(uint8_t *at, uint32_t value) {
    for (uint8_t count = 0; count < 4; count++) {
        *at++ = (uint8_t)value;
        value >>= 8;
    }
    return at;
}
