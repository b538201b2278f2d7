/* The pins of an RP2040 board. The numbers of the pins are data in the image, so that all boards
   can use one image. */
#ifndef PINS_H
#define PINS_H

#include <stdbool.h>
#include <stdint.h>

/* The pins of a Raspberry Pi Pico, as wired in Schematics: SDA and SCL of the DRV2605, or of the
   TCA9548A, on pins of I2C0, and EN of actuators 0 to 3. Each EN needs a pull-down of 100 kOhm. */
#define SDA_GPIO 4
#define SCL_GPIO 5
#define EN0_GPIO 6
#define EN1_GPIO 7
#define EN2_GPIO 8
#define EN3_GPIO 9

#define PINS_ACTUATORS 8
#define PINS_NONE 0xff

/** The block at 0x10000200 of the flash, into which `bridge flash` writes the pins of the board
    that it flashes. The built image has the pins of a Raspberry Pi Pico with one actuator. */
struct pins {
    char magic[4];              /**< "pins" */
    uint8_t board;              /**< enum bridge_board_kind */
    uint8_t i2c;                /**< 0 or 1: the I2C unit to which the next two pins belong */
    uint8_t sda;                /**< GPIO */
    uint8_t scl;                /**< GPIO */
    uint8_t en[PINS_ACTUATORS]; /**< GPIO of each actuator's EN, which needs a pull-down of 100
                                     kOhm */
    uint8_t jumper;             /**< GPIO of the jumper to GND that erases locks, if there is one */
    uint8_t actuators;          /**< 1, or 2 to 8 behind a TCA9548A */
    uint8_t led; /**< GPIO of the LED that mirrors the level, if there is one; a high pin lights the
                    LED */
    uint8_t reserved;
};

extern const struct pins pins;

/** True if the block is valid: the pins of the bus are I2C pins, and each actuator has a pin for
    EN. */
bool pins_are_valid(void);

/** Configures the EN pins and the LED's pin as outputs, and sets them low. */
void pins_start(void);

/** Drives the EN pins. Bit n of `enabled` represents actuator n. */
void pins_set_driver(uint16_t enabled);

/** Switches the LED that mirrors the level, if there is one. */
void pins_set_light(bool on);

/** Returns whether the jumper is set. The pin is read many times, so that a disturbance is not
    mistaken for a jumper. */
bool pins_jumper_is_set(void);

#endif
