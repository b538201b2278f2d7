// A model of the I2C switch TCA9548A (TI SCPS207): the state of its eight channels. The master
// accesses the model byte by byte, as it accesses the model of the DRV2605. The model is
// independent of time.
#ifndef TCA9548A_MODEL_H
#define TCA9548A_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define TCA9548A_MODEL_ADDRESS 0x70u // A0 to A2 low
#define TCA9548A_MODEL_CHANNELS 8u

struct tca9548a_model {
    uint8_t open;    // mask of the open channels
    uint8_t written; // the control register, which takes effect at STOP (8.5.2)
    uint8_t damage; // the bits to invert in the next byte that is written; the byte is acknowledged
    bool powered;
    bool selected; // addressed since the last START
    bool reading;
};

// Switches the supply on or off. At power-up, all channels are closed (8.4).
void tca9548a_model_power(struct tca9548a_model *model, bool on);

// Handles START or repeated START with the address byte. Returns ACK.
bool tca9548a_model_start(struct tca9548a_model *model, uint8_t address_byte);

// Handles a byte that is written to the control register. If a write has several bytes, the last
// byte takes effect. Returns ACK.
bool tca9548a_model_write_byte(struct tca9548a_model *model, uint8_t byte);

// Inverts the given bits of the next byte that is written, as a disturbance on the bus would do.
void tca9548a_model_inject_damage(struct tca9548a_model *model, uint8_t bits);

// Returns the control register for a read; 0xFF if the switch is not addressed for reading.
uint8_t tca9548a_model_read_byte(const struct tca9548a_model *model);

// Handles STOP, at which channels open and close.
void tca9548a_model_stop(struct tca9548a_model *model);

#endif
