#include "bridge_bytes.h"

uint16_t bridge_u16(const uint8_t *bytes) { return (uint16_t)(bytes[0] | (uint16_t)bytes[1] << 8); }

uint32_t bridge_u32(const uint8_t *bytes) {
    return bridge_u16(bytes) | (uint32_t)bridge_u16(bytes + 2) << 16;
}

uint8_t *bridge_put_u8(uint8_t *at, uint8_t value) {
    *at = value;
    return at + 1;
}

uint8_t *bridge_put_u16(uint8_t *at, uint16_t value) {
    return bridge_put_u8(bridge_put_u8(at, (uint8_t)value), (uint8_t)(value >> 8));
}

uint8_t *bridge_put_u32(uint8_t *at, uint32_t value) {
    return bridge_put_u16(bridge_put_u16(at, (uint16_t)value), (uint16_t)(value >> 16));
}
