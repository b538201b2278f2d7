#include "tick_clock.h"

#include <stddef.h>

#include "bridge_outline.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && offsetof(struct moment, part) == 0 &&
                   offsetof(struct moment, us) == 4,
               "part and us are the bytes of one number");

void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us) {
    clock->stands = (struct moment){.us = time_us};
    clock->tick = 0;
    clock->scale_waits = false;
}

void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale) {
    clock->scale_tick = tick;
    clock->scale_next = scale;
    clock->scale_waits = true;
}

/* Adds ticks x scale byte by byte, as on paper: the sum of 64 bits is never in registers. Most
   events lie less than 256 ticks apart, which is one round. */
BRIDGE_OUTLINE static void add(struct moment *moment, uint32_t ticks, const uint32_t *scale) {
    uint8_t *place = (uint8_t *)moment + 1; /* `part` goes 8 bits below a scale */
    for (const uint8_t *end = (const uint8_t *)(moment + 1); ticks; ticks >>= 8) {
        const uint8_t *factor = (const uint8_t *)scale;
        uint8_t *digit = place++;
        uint16_t carry = 0;
        for (uint8_t left = sizeof *scale; left; left--) {
            carry = (uint16_t)(carry + (uint16_t)(uint8_t)ticks * *factor++ + *digit);
            *digit++ = (uint8_t)carry;
            carry >>= 8;
        }
        for (; carry && digit < end; digit++) {
            carry = (uint16_t)(carry + *digit);
            *digit = (uint8_t)carry;
            carry >>= 8;
        }
    }
}

BRIDGE_OUTLINE uint32_t tick_clock_due_us(struct tick_clock *clock, uint32_t tick) {
    clock = BRIDGE_HELD(clock);
    clock->asked = clock->stands;
    uint32_t ticks = tick - clock->tick;
    const uint32_t *scale = &clock->scale;
    if (clock->scale_waits && tick >= clock->scale_tick) {
        uint32_t after = tick - clock->scale_tick;
        if (after < ticks) { /* else the change comes too late */
            add(&clock->asked, ticks - after, scale);
            ticks = after;
        }
        scale = &clock->scale_next;
    }
    add(&clock->asked, ticks, scale);
    return clock->asked.us;
}

void tick_clock_move(struct tick_clock *clock, uint32_t tick) {
    clock->stands = clock->asked;
    clock->tick = tick;
    if (clock->scale_waits && tick >= clock->scale_tick) {
        clock->scale = clock->scale_next;
        clock->scale_waits = false;
    }
}
