/*
 * The timed writes of one stream, rendered a little ahead of time: a queue between the player,
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

/** What brings an entry to a size that divides 256: 8 bytes for one actuator, 16 for several. */
#define WRITE_PADDING (BRIDGE_ACTUATOR_COUNT == 1 ? 1 : 10 - BRIDGE_ACTUATOR_COUNT)

/** A level for RTP_INPUT of the chips of a stream's actuators. */
struct bridge_write {
    uint32_t due_us;
    uint8_t kind;                          /**< enum write_kind */
    uint8_t level;                         /**< before gain, curve and clamp */
    uint8_t values[BRIDGE_ACTUATOR_COUNT]; /**< for the registers: a new gain makes them anew */
    uint8_t unused[WRITE_PADDING];
};

struct bridge_writes {
    volatile uint8_t head; /**< running count of pushed entries' bytes */
    volatile uint8_t tail; /**< likewise of taken ones */
#if BRIDGE_ACTUATOR_COUNT > 1
    volatile uint8_t left; /**< actuators that the one at `tail` has still to reach; 0: all */
#endif
    struct bridge_write entries[BRIDGE_WRITE_COUNT];
};

/** What an entry counts. */
#define WRITE_SIZE ((uint8_t)sizeof(struct bridge_write))

/** Bytes of entries waiting. */
static inline uint8_t writes_count(const struct bridge_writes *writes) {
    return (uint8_t)(writes->head - writes->tail);
}

/** The entry at a running count. */
BRIDGE_INLINE struct bridge_write *writes_at(struct bridge_writes *writes, uint8_t count) {
    uint8_t offset = count % sizeof writes->entries;
    return BRIDGE_HELD((struct bridge_write *)(void *)((uint8_t *)writes->entries + offset));
}

/** Whether one more may be pushed. The one taken last keeps its place: it may fail. */
static inline bool writes_have_room(const struct bridge_writes *writes) {
    return writes_count(writes) < sizeof writes->entries - WRITE_SIZE;
}

/** Appends the entry that has been filled in at `head`. */
void writes_push(struct bridge_writes *writes);

/** The entry taken last is due again, at `now_us`. */
void writes_put_back(struct bridge_writes *writes, uint32_t now_us);

/** Drops all entries. */
void writes_clear(struct bridge_writes *writes);

/** The entry pushed last, even if it has been taken. */
BRIDGE_INLINE struct bridge_write *writes_newest(struct bridge_writes *writes) {
    return writes_at(writes, (uint8_t)(writes->head - WRITE_SIZE));
}

/** Drops the entries that are due at `from_us` or later. Returns the earliest of them, or null. It
    is valid until the next push. */
const struct bridge_write *writes_drop(struct bridge_writes *writes, uint32_t from_us);

#endif
