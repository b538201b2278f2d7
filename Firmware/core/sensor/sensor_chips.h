/*
 * The accelerometers that the firmware supports: one row of a table for each chip. The registers
 * are from the data sheets by ST: DocID17530 (LIS3DH), DS11811 (LIS2DW12), DS12140 (LSM6DSO; the
 * LSM6DSOX has the same registers).
 */
#ifndef BRIDGE_SENSOR_CHIPS_H
#define BRIDGE_SENSOR_CHIPS_H

#include "../../protocol/bridge_protocol.h"
#include "../support/flash.h"
#include "sensor.h"

#if BRIDGE_SENSOR

/** The register that identifies the chip, which is the same for all chips. */
#define SENSOR_WHO_AM_I 0x0F

/** The bit in the last byte of the level that reports an overrun, the same for all chips. */
#define SENSOR_OVERRUN 0x40

/** The addresses of the chips, as sent for a write, with SA0 low. With SA0 high, bit 1 is 1. */
#define SENSOR_ADDRESS_LIS 0x30
#define SENSOR_ADDRESS_LSM6 0xD4

/** The chips, in the order of enum bridge_sensor_kind. */
static const struct sensor_chip sensor_chips[] BRIDGE_FLASH = {
    /* LIS3DH: 8 g in normal mode, in which the bandwidth is half of the rate; FIFO in stream mode;
       1,344 Hz. Bit 7 of the register number makes the chip increment the address. */
    {0x33,
     0x1F,
     {{0x20, 0x00},
      {0x23, 0x20},
      {0x24, 0x40},
      {0x2E, 0x00},
      {0x2E, 0x80},
      {0x20, 0x97},
      {0x2F, 1},
      {0xA8, 6 * SENSOR_BLOCK}}},
    /* LIS2DW12: both bytes of a value belong to the same sample; 16 g with low noise; FIFO in
       continuous mode; 1,600 Hz in high-performance mode. */
    {0x44,
     0x3F,
     {{0x20, 0x00},
      {0x21, 0x0C},
      {0x25, 0x34},
      {0x2E, 0x00},
      {0x2E, 0xC0},
      {0x20, 0x94},
      {0x2F, 1},
      {0x28, 6 * SENSOR_BLOCK}}},
    /* LSM6DSO: both bytes of a value belong to the same sample; FIFO for the accelerometer alone,
       in continuous mode; 8 g, 1,666 Hz. */
    {0x6C,
     0x03,
     {{0x10, 0x00},
      {0x12, 0x44},
      {0x09, 0x08},
      {0x0A, 0x00},
      {0x0A, 0x06},
      {0x10, 0x8C},
      {0x3A, 2},
      {0x78, 7 * SENSOR_BLOCK}}},
};

#define SENSOR_CHIP_COUNT (sizeof sensor_chips / sizeof *sensor_chips)

#endif

#endif
