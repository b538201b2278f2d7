/* The I2C bus: the TWI at 400 kHz, moved by interrupts. */
#ifndef BUS_H
#define BUS_H

#include <stdbool.h>
#include <stdint.h>

/** Frees the bus, should a chip still hold it since before the reset, and starts the TWI. */
void bus_start(void);

/** Starts the transfer that is next, and ends one that has taken too long. */
void bus_poll(uint32_t now_us);

/** Whether transfers and the clock have gone on since the last question: one ended, or none was
   due. To be asked in each round. */
bool bus_take_progress(uint16_t now_us);

#endif
