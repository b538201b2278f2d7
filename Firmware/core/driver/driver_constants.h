/*
 * The selection of the driver, and the constants of its chip, which the core and the ports use.
 *
 * The compiler option -DBRIDGE_DRIVER_NAME selects the driver NAME; the default is the driver of
 * the DRV2605. The option must be the same for the core and for all files of a port, because these
 * files also use the constants.
 */
#ifndef BRIDGE_DRIVER_CONSTANTS_H
#define BRIDGE_DRIVER_CONSTANTS_H

#define BRIDGE_DRIVER_DRV2605

#include "drv2605_registers.h"

/** The chip's address on the I2C bus, 7 bits. */
#define DRIVER_I2C_ADDRESS DRV2605_ADDRESS

/** The register to which levels are written. */
#define DRIVER_LEVEL_REGISTER DRV2605_REG_RTP_INPUT

/** The register to which the frequency of an actuator with a band is written (SPEC 8.9). */
#define DRIVER_TONE_REGISTER DRV2605_REG_OL_LRA_PERIOD

#endif
