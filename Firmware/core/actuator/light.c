#include "light.h"

#include "../support/time.h"

#define COUNT_US 64

/* The number of counts for which a level is held. This number of counts exceeds the hold time,
   because the first count may be shorter than a full count, and because the light is switched on in
   the next round, up to a millisecond later. */
#define HOLD_COUNTS (BRIDGE_LIGHT_HOLD_US / COUNT_US + 24)

/* The longest round, in counts, for which 16 bits suffice for `owed`. A longer round is counted as
   if it had this length. */
#define COUNTS_MAX 127

#define LEVEL_FULL 255

uint8_t light_greatest_level(const struct actuator *actuators, uint8_t count) {
    uint8_t greatest = 0;
    for (uint8_t index = 0; index < count; index++) {
        const struct actuator *actuator = &actuators[index];
        if (!actuator->shown || actuator->is_muted) {
            continue;
        }
        uint8_t level = actuator_share(actuator->shown, actuator->gain);
        if (level > greatest) {
            greatest = level;
        }
    }
    return greatest;
}

/* Shows a rising level immediately, and a falling level only when the last rise has been visible
   for long enough. */
static void follow(struct bridge_light *light, uint8_t level, uint8_t elapsed) {
    if (level > light->level) {
        light->hold = HOLD_COUNTS;
    } else if (elapsed < light->hold) {
        light->hold = (uint16_t)(light->hold - elapsed);
        return;
    } else {
        light->hold = 0;
    }
    light->level = level;
}

/* Implements a sigma-delta modulator: the light is on while more light has been requested than
   shown. Rounds may therefore differ in length. The requested light is added to the amount owed,
   and the shown light is subtracted from it, in one step, so that the amount owed never exceeds the
   light of one round. */
bool light_update(struct bridge_light *light, uint8_t level, uint32_t now_us) {
    uint8_t count = (uint8_t)((uint16_t)(now_us * (256 / COUNT_US)) >> 8);
    uint8_t elapsed = (uint8_t)(count - light->count);
    light->count = count;
    if (elapsed > COUNTS_MAX) {
        elapsed = COUNTS_MAX;
    }
    int16_t owed = light->owed;
    int16_t missing = light->level;
    if (owed > 0) {
        missing = (int16_t)(missing - LEVEL_FULL);
    }
    owed = (int16_t)(owed + missing * elapsed);
    follow(light, level, elapsed);
    if (!light->level) {
        owed = 0;
    }
    light->owed = owed;
    return owed > 0;
}
