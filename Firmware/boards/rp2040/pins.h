/* Pins of the Raspberry Pi Pico (RP2040, 3.3 V) as they are planned; Schematics has them wired. */
#ifndef PINS_H
#define PINS_H

/* SDA and SCL of the DRV2605: GP4 and GP5, which I2C0 can have. */
#define SDA_GPIO 4
#define SCL_GPIO 5

/* EN of actuator 0: GP6. Needs a pull-down of 100 kOhm: in reset the pin is an input. */
#define EN0_GPIO 6

/* EN of further actuators behind a TCA9548A: GP7 to GP9. */
#define EN1_GPIO 7
#define EN2_GPIO 8
#define EN3_GPIO 9

/* The host: the RP2040's own USB. */

#endif
