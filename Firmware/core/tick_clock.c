#include "tick_clock.h"

#include <stddef.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
                   offsetof(struct tick_clock, part) == 0 && offsetof(struct tick_clock, us) == 4,
               "part and us are the bytes of one number");

void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us) {
    clock->part = 0;
    clock->us = time_us;
    clock->tick = 0;
    clock->scale_waits = false;
}

void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale) {
    clock->scale_tick = tick;
    clock->scale_next = scale;
    clock->scale_waits = true;
}

/* Adds ticks x scale byte by byte, as on paper: the sum of 64 bits is never in registers. To a tick
   behind, where a scale was to change that comes too late, nothing moves. */
static void move_by_scale(struct tick_clock *clock, uint32_t tick) {
    const uint8_t *const scale = (const uint8_t *)&clock->scale;
    uint8_t *const sum = (uint8_t *)clock;
    uint32_t ticks = tick - clock->tick;
    if ((int32_t)ticks < 0) {
        return;
    }
    clock->tick = tick;
    for (uint8_t *place = sum + 1; ticks; place++) {
        const uint8_t *factor = scale;
        uint16_t carry = 0;
        for (uint8_t *digit = place; digit < sum + 8; digit++) {
            if (factor < scale + 4) {
                carry = (uint16_t)(carry + (uint16_t)(uint8_t)ticks * *factor++);
            }
            carry = (uint16_t)(carry + *digit);
            *digit = (uint8_t)carry;
            carry >>= 8;
        }
        ticks >>= 8;
    }
}

void tick_clock_move(struct tick_clock *clock, uint32_t tick) {
    if (clock->scale_waits && tick >= clock->scale_tick) {
        move_by_scale(clock, clock->scale_tick);
        clock->scale = clock->scale_next;
        clock->scale_waits = false;
    }
    move_by_scale(clock, tick);
}

uint32_t tick_clock_due_us(const struct tick_clock *clock, uint32_t tick) {
    if (tick == clock->tick) {
        return clock->us;
    }
    struct tick_clock moved = *clock;
    tick_clock_move(&moved, tick);
    return moved.us;
}

/* Long division of the time since the clock's tick, up to the microsecond's end, by the scale; 32
   of its 56 bits are the answer. A time before that tick is complemented: that rounds down too. */
uint32_t tick_clock_tick_at(const struct tick_clock *clock, uint32_t time_us) {
    uint32_t us = time_us - clock->us;
    uint32_t part = ~clock->part;
    bool is_before = (int32_t)us < 0;
    if (is_before) {
        us = ~us;
        part = ~part;
    }
    uint32_t rest = us >> 8;
    uint32_t ticks = us << 24 | part >> 8;
    for (uint8_t bit = 0; bit < 32; bit++) {
        bool carry = (int32_t)rest < 0;
        rest <<= 1;
        if ((int32_t)ticks < 0) {
            rest |= 1;
        }
        ticks <<= 1;
        if (carry || rest >= clock->scale) {
            rest -= clock->scale;
            ticks |= 1;
        }
    }
    if (is_before) {
        return ticks < clock->tick ? clock->tick + ~ticks : 0;
    }
    return clock->tick + ticks;
}
