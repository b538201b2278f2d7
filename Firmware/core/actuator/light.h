/*
 * A light that mirrors the level: an LED that the board switches on and off in each round of its
 * loop, so that it is as bright as the level is strong.
 */
#ifndef BRIDGE_LIGHT_H
#define BRIDGE_LIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"

/** The time for which the greatest level stays visible: a tap is too short for an eye. */
#define BRIDGE_LIGHT_HOLD_US 40000u

/** A light; all zeros, it is dark. Times are in counts of 64 us, modulo 256: rounds that take about
   as long as a count would be counted wrongly for as long as they keep step with it. */
struct bridge_light {
    uint8_t count; /**< the time of the last round */
    uint8_t level; /**< the level that is shown */
    uint16_t hold; /**< counts for which the level that is shown must not fall */
    int16_t owed;  /**< counts x level that were asked for and not given yet: above 0, it is on */
};

/** The level that a light shows: the greatest that actuators get, after gain and mute. */
uint8_t light_greatest_level(const struct actuator *actuators, uint8_t count);

/** Shows a level from `now_us` on, or the greater one that it holds. Returns true if the light must
    be on until the next call, which comes within 8 ms. */
bool light_update(struct bridge_light *light, uint8_t level, uint32_t now_us);

#endif
