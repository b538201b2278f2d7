/* Messages about actuators: gain, mute, configuration, calibration (SPEC 4.3, 4.4, 8). Byte 0 of
   the payload is the number of the actuator. */
#ifndef BRIDGE_ACTUATOR_COMMANDS_H
#define BRIDGE_ACTUATOR_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "../device.h"

/** Reads the mask of actuators at an offset in the payload. If the mask is empty or contains an
    actuator that the board does not have, rejects the message and returns 0. */
uint16_t command_read_actuators(struct bridge *bridge, uint8_t offset);

/** Applies a new gain, mute or budget to the queued writes, and to the levels that actuators show.
    A shown level is written again if its value changes. A level whose value does not change is not
   written: if the level was damaged on the bus, the check of the chip must still be able to detect
   the damage. */
void commands_rewrite_levels(struct bridge *bridge, uint16_t mask);

/** Applies the checked configuration that the receiver holds. */
void commands_configure(struct bridge *bridge);

/** Finds the first actuator that is moving or may move soon. Returns false if there is no such
    actuator. */
bool commands_find_moving(const struct bridge *bridge, uint8_t *moving);

void handle_gain(struct bridge *bridge, const uint8_t *payload);
void handle_mute(struct bridge *bridge, const uint8_t *payload);
void handle_configure(struct bridge *bridge, const uint8_t *payload, struct actuator *actuator);
void handle_calibrate(struct bridge *bridge, struct actuator *actuator, bool diagnose);
void handle_save(struct bridge *bridge, uint8_t index);
void handle_lock(struct bridge *bridge, uint8_t index);
void handle_probe(struct bridge *bridge, uint8_t address);
void handle_enter_bootloader(struct bridge *bridge);

#endif
