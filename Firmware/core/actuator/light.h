/*
 * A light that mirrors the level: an LED whose brightness the board modulates by switching it on or
 * off in each round of its loop.
 */
#ifndef BRIDGE_LIGHT_H
#define BRIDGE_LIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"

/** The time for which the greatest level stays visible, because a tap is too short to be seen. */
#define BRIDGE_LIGHT_HOLD_US 40000u

/** The state of a light. A light of all zeros is off. Times are in counts of 64 us, modulo 256:
    `owed` is wrong if rounds are as long as a count and in phase with it. */
struct bridge_light {
    uint8_t count; /**< the time of the last round */
    uint8_t level; /**< the level that is shown */
    uint16_t hold; /**< counts for which the level that is shown must not fall */
    int16_t owed;  /**< counts x level that were requested and are yet to be shown; the light is on
                        while this is above 0 */
};

/** Returns the level that a light shows: the greatest level of all actuators after gain and
    mute. */
uint8_t light_greatest_level(const struct actuator *actuators, uint8_t count);

/** Shows a level from `now_us` on; a greater previous level that is still being held has
    precedence. Returns true if the light must be on until the next call, which comes within 8
    ms. */
bool light_update(struct bridge_light *light, uint8_t level, uint32_t now_us);

#endif
