/*
 * A light that mirrors the level: an LED whose brightness the board modulates by switching it in
 * each round of its loop.
 */
#ifndef BRIDGE_LIGHT_H
#define BRIDGE_LIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"

/** The time for which the greatest level stays visible: a tap is too short for an eye. */
#define BRIDGE_LIGHT_HOLD_US 40000u

/** A light; all zeros, it is dark. Times are in counts of 64 us, modulo 256: the sum is wrong while
    rounds are as long as a count and in phase with it. */
struct bridge_light {
    uint8_t count; /**< the time of the last round */
    uint8_t level; /**< the level that is shown */
    uint16_t hold; /**< counts for which the level that is shown must not fall */
    int16_t owed;  /**< counts x level that were requested and not shown yet; the light is on while
                      this is above 0 */
};

/** The level that a light shows: the greatest level of all actuators after gain and mute. */
uint8_t light_greatest_level(const struct actuator *actuators, uint8_t count);

/** Shows a level from `now_us` on, or a greater one that is being held. Returns true if the light
    must be on until the next call, which comes within 8 ms. */
bool light_update(struct bridge_light *light, uint8_t level, uint32_t now_us);

#endif
