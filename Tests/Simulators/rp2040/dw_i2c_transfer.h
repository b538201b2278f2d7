// The transfers of DW_apb_i2c on the bus. dw_i2c.c models the registers of the unit.
#ifndef DW_I2C_TRANSFER_H
#define DW_I2C_TRANSFER_H

#include "dw_i2c.h"

// Ends the simulator if the SCL counts are invalid or do not fit fast mode.
void dw_i2c_check_times(const struct dw_i2c *i2c);

uint32_t dw_i2c_raw_interrupts(const struct dw_i2c *i2c);
// Sets the level of the interrupt line.
void dw_i2c_update(struct dw_i2c *i2c);

// Continues a waiting transfer after a new command, or after the unit has been disabled.
void dw_i2c_next(struct dw_i2c *i2c);
// Handles the end of a step.
void dw_i2c_step_ends(void *owner, uint64_t when);
// Releases SCL and SDA in the current state of the transfer.
void dw_i2c_abandon(struct dw_i2c *i2c);

#endif
