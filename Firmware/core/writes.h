/*
 * Timed writes, rendered a little ahead of time: a ring between the player, which fills it, and
 * whoever starts them on the bus, a timer interrupt where there is one. In order of time.
 */
#ifndef BRIDGE_WRITES_H
#define BRIDGE_WRITES_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge_limits.h"

/** What a write means, for whoever has to take it back (SPEC 6, REVISE). */
enum write_kind {
    WRITE_LEVEL,      /**< the running ramp shows */
    WRITE_TAP,        /**< a tap begins */
    WRITE_TAP_IN_TAP, /**< a tap begins while one sounds */
    WRITE_TAP_END,    /**< a tap ends, the ramp shows */
    WRITE_REGISTER,   /**< anything but a level */
    WRITE_VOID,       /**< taken, and did not go out */
};

struct bridge_write {
    uint32_t due_us; /**< once it is taken: how late it was */
    uint8_t actuator;
    uint8_t reg;
    uint8_t level; /**< before gain, curve and clamp: a new gain makes `value` anew */
    uint8_t value;
    uint8_t kind; /**< enum write_kind */
};

struct bridge_writes {
    volatile uint8_t head; /**< running count of pushed entries */
    volatile uint8_t tail; /**< running count of taken entries */
    uint8_t settled;       /**< running count of entries whose outcome has been noted */
    struct bridge_write entries[BRIDGE_WRITE_COUNT];
};

/** Entries waiting. */
uint8_t writes_count(const struct bridge_writes *writes);

/** Entries that may still be pushed. */
uint8_t writes_room(const struct bridge_writes *writes);

/** Puts an entry in its place by time, behind those due no later; the caller has made sure of room.
 */
void writes_push(struct bridge_writes *writes, const struct bridge_write *write);

/** The oldest entry waiting, or null. */
struct bridge_write *writes_first(struct bridge_writes *writes);

/** The entry `index` places behind the oldest that waits. */
struct bridge_write *writes_at(struct bridge_writes *writes, uint8_t index);

/** Takes the oldest entry. It stays where it is until it is settled. */
void writes_pop(struct bridge_writes *writes);

/** The entry taken last waits again. */
void writes_put_back(struct bridge_writes *writes);

/** Whether one of the actuators in `mask` has an entry waiting. */
bool writes_has(struct bridge_writes *writes, uint16_t mask);

/**
 * Drops the waiting entries of the actuators in `mask`; those due before `*from_us` stay, unless it
 * is null. True if there was one; `earliest` is then the earliest dropped level, or an entry of
 * kind WRITE_REGISTER if no level was among them.
 */
bool writes_drop(struct bridge_writes *writes, uint16_t mask, const uint32_t *from_us,
                 struct bridge_write *earliest);

#endif
