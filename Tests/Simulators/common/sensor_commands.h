// The commands to the accelerometer on the bus. Each function returns false if an argument is
// invalid.
#ifndef SENSOR_COMMANDS_H
#define SENSOR_COMMANDS_H

#include "board.h"

// Switches the supply of the sensor on or off, as a loose wire would.
bool sensor_command_power(struct board *board, char *const *words);

// Sets the clock of the sensor in thousandths of its nominal clock. The new clock takes effect when
// the firmware next selects a rate.
bool sensor_command_clock(struct board *board, char *const *words);

// Sets the WHO_AM_I of the sensor, to simulate another chip that has the same address.
bool sensor_command_id(struct board *board, char *const *words);

// Prints the counters of the model.
bool sensor_command_counters(struct board *board, char *const *words);

#endif
