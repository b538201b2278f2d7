/* Pins of the reference board: Arduino Uno and Nano (ATmega328P, 16 MHz, 5 V). */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../core/support/limits.h"

/* EN of the DRV2605: D4. EN needs a 100 kOhm pull-down, because the pin is an input in reset. */
#define EN_PORT PORTD
#define EN_DDR DDRD
#define EN0_BIT PD4

/* EN of actuators 1 to 3 behind a TCA9548A: D5 to D7. */
#define EN1_BIT PD5
#define EN2_BIT PD6
#define EN3_BIT PD7
#define EN_PINS 4

/* EN of actuators 4 to 7, which are not in the schematics: D8 to D11. */
#define MORE_EN_PORT PORTB
#define MORE_EN_DDR DDRB
#define MORE_EN_BITS ((1u << BRIDGE_ACTUATOR_COUNT) - 1) >> EN_PINS

#define EN_BITS (((1u << BRIDGE_ACTUATOR_COUNT) - 1) & 0xF) << EN0_BIT

/* The jumper to GND that erases locks: D2. */
#define JUMPER_PORT PORTD
#define JUMPER_PIN PIND
#define JUMPER _BV(PD2)

/* The light that mirrors the level: D13, the LED of the board, which a high pin lights. */
#define LIGHT_PORT PORTB
#define LIGHT_DDR DDRB
#define LIGHT _BV(PB5)

/* SDA and SCL of the DRV2605: A4 and A5, the pins of the TWI. */
#define TWI_DDR DDRC
#define TWI_PIN PINC
#define SDA_BIT PC4
#define SCL_BIT PC5

/* The host: D0 (RXD) and D1 (TXD), behind the board's USB bridge. */

#if BRIDGE_ACTUATOR_COUNT > 1

static inline void pins_set_driver(uint16_t enabled) {
    EN_PORT = (uint8_t)((EN_PORT & (uint8_t) ~(EN_BITS)) | ((enabled << EN0_BIT) & EN_BITS));
    if (BRIDGE_ACTUATOR_COUNT > EN_PINS) {
        MORE_EN_PORT = (uint8_t)((MORE_EN_PORT & LIGHT) | enabled >> EN_PINS);
    }
}

static inline void pins_disable_driver(void) { pins_set_driver(0); }

#else

static inline void pins_disable_driver(void) { EN_PORT &= (uint8_t)~_BV(EN0_BIT); }

static inline void pins_set_driver(uint16_t enabled) {
    if (enabled & 1) {
        EN_PORT |= _BV(EN0_BIT);
    } else {
        pins_disable_driver();
    }
}

#endif

/* Returns whether D2 is connected to GND. The pin is read many times, so that a disturbance is not
   mistaken for a jumper. */
static inline bool pins_jumper_is_set(void) {
    JUMPER_PORT |= JUMPER; /* an input with pull-up */
    uint8_t samples = UINT8_MAX;
    while (samples && !(JUMPER_PIN & JUMPER)) {
        samples--;
    }
    return !samples;
}

static inline void pins_set_light(bool on) {
    if (on) {
        LIGHT_PORT |= LIGHT;
    } else {
        LIGHT_PORT &= (uint8_t)~LIGHT;
    }
}

static inline void pins_start(void) {
    pins_disable_driver();
    EN_DDR |= EN_BITS;
    LIGHT_DDR |= LIGHT;
    if (BRIDGE_ACTUATOR_COUNT > EN_PINS) {
        MORE_EN_DDR |= MORE_EN_BITS;
    }
}

#endif
