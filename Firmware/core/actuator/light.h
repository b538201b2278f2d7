/*
 * A light that mirrors the level: an LED whose brightness the board controls by switching the LED
 * on or off in each round of the loop.
 */
#ifndef BRIDGE_LIGHT_H
#define BRIDGE_LIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"

/** The time for which a peak of the level stays visible, because a tap is too short to be seen. */
#define BRIDGE_LIGHT_HOLD_US 40000u

/** The state of a light. A light that is all zeros is off. Times are in counts of 64 us, modulo
    256. `owed` is wrong if each round is as long as a count and in phase with the counts. */
struct bridge_light {
    uint8_t count; /**< the time of the last round */
    uint8_t level; /**< the level that is shown */
    uint16_t hold; /**< number of counts for which the shown level must not fall */
    int16_t owed; /**< the requested light that has not been shown yet, in counts x level; the light
                     is on while this is above 0 */
};

/** Returns the level that a light must show: the greatest level of all actuators after gain and
    mute. */
uint8_t light_greatest_level(const struct actuator *actuators, uint8_t count);

/** Shows a level from `now_us` on, unless a greater previous level is still being held. Returns
    true if the light must be on until the next call, which must follow within 8 ms. */
bool light_update(struct bridge_light *light, uint8_t level, uint32_t now_us);

#endif
