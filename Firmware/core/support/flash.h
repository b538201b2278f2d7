/*
 * Tables in program memory. A controller that cannot read flash memory as data (the AVR) reads the
 * tables with special instructions; other controllers read them like any other constant.
 */
#ifndef BRIDGE_FLASH_H
#define BRIDGE_FLASH_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define BRIDGE_FLASH __attribute__((section(".progmem.data"))) /* PROGMEM, for clang as well */
static inline uint8_t bridge_flash_byte(const uint8_t *address) { return pgm_read_byte(address); }
static inline uint16_t bridge_flash_word(const uint16_t *address) { return pgm_read_word(address); }
static inline const uint8_t *bridge_flash_pointer(const uint8_t *const *address) {
    return (const uint8_t *)pgm_read_word(address);
}
#else
#define BRIDGE_FLASH
static inline uint8_t bridge_flash_byte(const uint8_t *address) { return *address; }
static inline uint16_t bridge_flash_word(const uint16_t *address) { return *address; }
static inline const uint8_t *bridge_flash_pointer(const uint8_t *const *address) {
    return *address;
}
#endif

#endif
