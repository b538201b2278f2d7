// The differences between the accelerometers: their registers, and the settings that the registers
// select. These declarations are private to the model.
#ifndef ACCELEROMETER_MODEL_CHIPS_H
#define ACCELEROMETER_MODEL_CHIPS_H

#include "accelerometer_model.h"

#define ACCELEROMETER_WHO_AM_I 0x0F

enum accelerometer_fifo_mode {
    ACCELEROMETER_FIFO_BYPASS, // the FIFO is empty
    ACCELEROMETER_FIFO_STOPS,  // a full FIFO discards new samples
    ACCELEROMETER_FIFO_STREAM, // a full FIFO loses its oldest sample
};

// Sets the registers to their values after power-up or a reset.
void accelerometer_chip_reset(struct accelerometer_model *model);

// Returns whether a register can be written. A write that starts a reset is executed by
// accelerometer_chip_written.
bool accelerometer_chip_is_writable(const struct accelerometer_model *model, uint8_t address);

// Returns true if an address belongs to another page of the LSM6DSO: to the embedded functions or
// to the sensor hub, which are not modeled. Their registers keep no value (invented).
bool accelerometer_chip_has_other_page(const struct accelerometer_model *model, uint8_t address);

// Executes the effects of writing a register, except the effect on sampling. Returns true if the
// register selects the rate.
bool accelerometer_chip_written(struct accelerometer_model *model, uint8_t address);

enum accelerometer_fifo_mode accelerometer_chip_fifo_mode(const struct accelerometer_model *model);
unsigned accelerometer_chip_fifo_depth(const struct accelerometer_model *model);

// The number of significant bits of a sample. The significant bits are the highest of the 16 bits.
unsigned accelerometer_chip_bits(const struct accelerometer_model *model);

// If a register reports the state of the FIFO or of the output, stores the value of the register
// and returns true.
bool accelerometer_chip_status(const struct accelerometer_model *model, uint8_t address,
                               uint8_t *value);

// Returns the first of the six registers from which samples are read; unless the FIFO is in bypass
// mode, these are samples from the FIFO. The LSM6DSO has separate registers for the FIFO, preceded
// by a tag.
uint8_t accelerometer_chip_sample_register(const struct accelerometer_model *model);

// Returns the register after `address` in a transfer of several bytes.
uint8_t accelerometer_chip_next_register(const struct accelerometer_model *model, uint8_t address);

#endif
