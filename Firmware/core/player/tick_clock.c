#include "tick_clock.h"

#include <stddef.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && offsetof(struct moment, part) == 0 &&
                   offsetof(struct moment, us) == 4,
               "part and us must be the bytes of one number");

void tick_clock_anchor(struct tick_clock *clock, uint32_t time_us) {
    clock->anchor = (struct moment){.us = time_us};
    clock->tick = 0;
    clock->scale_waits = false;
}

void tick_clock_set_scale(struct tick_clock *clock, uint32_t tick, uint32_t scale) {
    clock->scale_tick = tick > clock->tick ? tick : clock->tick; /* not in the past */
    clock->scale_next = scale;
    clock->scale_waits = true;
}

/* Adds `by` x `factor` to a number of `size` bytes. */
static inline void add_product(uint8_t *number, uint8_t size, uint8_t by, const uint32_t *factor) {
#ifdef BRIDGE_ADD_PRODUCT
    BRIDGE_ADD_PRODUCT(number, size, by, factor);
#else
    uint16_t carry = 0;
    for (uint8_t index = 0; index < size; index++) {
        uint8_t byte = index < sizeof *factor ? ((const uint8_t *)factor)[index] : 0;
        carry = (uint16_t)(carry + (uint16_t)by * byte + number[index]);
        number[index] = (uint8_t)carry;
        carry >>= 8;
    }
#endif
}

/* Adds ticks x scale byte by byte, because an 8-bit controller has no 64-bit registers. One
   iteration suffices for events that are less than 256 ticks apart, which most events are. */
static void add(struct moment *moment, uint32_t ticks, const uint32_t *scale) {
    uint8_t size =
        sizeof *moment -
        1; /* `part` has 8 bits more than the fraction of a scale, so the lowest byte is skipped */
    uint8_t *number = (uint8_t *)moment + 1;
    do {
        add_product(number++, size--, (uint8_t)ticks, scale);
    } while (ticks >>= 8);
}

uint32_t tick_clock_due_us(struct tick_clock *clock, uint32_t tick) {
    clock->asked.part = clock->anchor.part;
    clock->asked.us = clock->anchor.us;
    if (clock->scale_waits && tick >= clock->scale_tick) {
        add(&clock->asked, tick - clock->scale_tick, &clock->scale_next);
        tick = clock->scale_tick;
    }
    add(&clock->asked, tick - clock->tick, &clock->scale);
    return clock->asked.us;
}

void tick_clock_move(struct tick_clock *clock, uint32_t tick) {
    clock->anchor.part = clock->asked.part;
    clock->anchor.us = clock->asked.us;
    clock->tick = tick;
    if (clock->scale_waits && tick >= clock->scale_tick) {
        clock->scale = clock->scale_next;
        clock->scale_waits = false;
    }
}
