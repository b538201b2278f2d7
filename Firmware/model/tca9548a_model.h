// A model of the I2C switch TCA9548A (TI SCPS207): the state of its eight channels. Its interface
// works byte by byte, like that of the DRV2605's model, and is independent of time.
#ifndef TCA9548A_MODEL_H
#define TCA9548A_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define TCA9548A_MODEL_ADDRESS 0x70u // A0 to A2 low
#define TCA9548A_MODEL_CHANNELS 8u

struct tca9548a_model {
    uint8_t open;    // mask of the open channels
    uint8_t written; // the control register, which takes effect at STOP (8.5.2)
    uint8_t damage;  // bits to be inverted in the next byte that is written, which is acknowledged
    bool powered;
    bool selected; // addressed since the last START
    bool reading;
};

// Switches the supply on or off. All channels are closed at power-up (8.4).
void tca9548a_model_power(struct tca9548a_model *model, bool on);

// START or repeated START with the address byte. Returns ACK.
bool tca9548a_model_start(struct tca9548a_model *model, uint8_t address_byte);

// A byte of a write to the control register; if there are several, the last one counts. Returns
// ACK.
bool tca9548a_model_write_byte(struct tca9548a_model *model, uint8_t byte);

// Inverts these bits of the next byte that is written, as a disturbance on the bus does.
void tca9548a_model_inject_damage(struct tca9548a_model *model, uint8_t bits);

// A byte of a read. Returns the control register, or 0xFF if the switch is not addressed for
// reading.
uint8_t tca9548a_model_read_byte(const struct tca9548a_model *model);

// STOP, at which channels open and close.
void tca9548a_model_stop(struct tca9548a_model *model);

#endif
