/*
 * The timed writes of one actuator, rendered a little ahead of time: a queue between the player,
 * which fills it in order of time, and whoever starts them on the bus, a timer interrupt where
 * there is one.
 */
#ifndef BRIDGE_WRITES_H
#define BRIDGE_WRITES_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge_limits.h"
#include "bridge_outline.h"
#include "bridge_time.h"

/** What a level means, for whoever has to take it back (SPEC 6, REVISE). */
enum write_kind {
    WRITE_LEVEL,      /**< the running ramp shows */
    WRITE_TAP,        /**< a tap begins */
    WRITE_TAP_IN_TAP, /**< a tap begins while one sounds */
    WRITE_TAP_END,    /**< a tap ends, the ramp shows */
};

/** A level for the chip's RTP_INPUT. */
struct bridge_write {
    uint32_t due_us;
    uint8_t kind;  /**< enum write_kind */
    uint8_t level; /**< before gain, curve and clamp: a new gain makes `value` anew */
    uint8_t value; /**< for the register */
    uint8_t actuator;
};

struct bridge_writes {
    volatile uint8_t head; /**< running count of pushed entries */
    volatile uint8_t tail; /**< running count of taken entries */
    struct bridge_write entries[BRIDGE_WRITE_COUNT];
};

/** Entries waiting. */
static inline uint8_t writes_count(const struct bridge_writes *writes) {
    return (uint8_t)(writes->head - writes->tail);
}

/** The entry at a running count; its place is worked out in eight bits. */
BRIDGE_INLINE struct bridge_write *writes_at(struct bridge_writes *writes, uint8_t count) {
    uint8_t offset = (uint8_t)(count % BRIDGE_WRITE_COUNT * sizeof(struct bridge_write));
    return BRIDGE_HELD((struct bridge_write *)(void *)((uint8_t *)writes->entries + offset));
}

/** Whether one more may be pushed. The one taken last keeps its place: it may fail. */
static inline bool writes_have_room(const struct bridge_writes *writes) {
    return writes_count(writes) < BRIDGE_WRITE_COUNT - 1;
}

/** Appends the entry that has been filled in at `head`. */
void writes_push(struct bridge_writes *writes);

/** The entry taken last is due again, at `now_us`. */
void writes_put_back(struct bridge_writes *writes, uint32_t now_us);

/** Drops all entries. */
void writes_clear(struct bridge_writes *writes);

/** False if none is due at `from_us` or later; the newest tells, even if it has been taken. */
BRIDGE_INLINE bool writes_reach(struct bridge_writes *writes, uint32_t from_us) {
    return !bridge_is_before(writes_at(writes, (uint8_t)(writes->head - 1))->due_us, from_us);
}

/** Drops the entries that are due at `from_us` or later. Returns the earliest of them, or null. It
    is valid until the next push. */
const struct bridge_write *writes_drop(struct bridge_writes *writes, uint32_t from_us);

#endif
