/* Pins of the reference board: Arduino Uno and Nano (ATmega328P, 16 MHz, 5 V). */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>
#include <stdint.h>

/* EN of the DRV2605: D4. Needs a pull-down of 100 kOhm: in reset the pin is an input. */
#define EN_PORT PORTD
#define EN_DDR DDRD
#define EN0_BIT PD4

/* EN of further actuators behind a TCA9548A: D5 to D7. The image drives one actuator. */
#define EN1_BIT PD5
#define EN2_BIT PD6
#define EN3_BIT PD7

/* SDA and SCL of the DRV2605: A4 and A5, the TWI's own. */
#define TWI_DDR DDRC
#define TWI_PIN PINC
#define SDA_BIT PC4
#define SCL_BIT PC5

/* The host: D0 (RXD) and D1 (TXD), behind the board's USB bridge. */

static inline void pins_disable_driver(void) { EN_PORT &= (uint8_t)~_BV(EN0_BIT); }

static inline void pins_set_driver(uint16_t enabled) {
    if (enabled & 1) {
        EN_PORT |= _BV(EN0_BIT);
    } else {
        pins_disable_driver();
    }
}

static inline void pins_start(void) {
    pins_disable_driver();
    EN_DDR |= _BV(EN0_BIT);
}

#endif
