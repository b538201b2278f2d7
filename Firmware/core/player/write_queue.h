/*
 * A queue of the timed writes of one stream, which are rendered slightly ahead of time. The player
 * fills the queue in order of time. The code that starts writes on the bus, which is a timer
 * interrupt on most boards, empties the queue.
 */
#ifndef BRIDGE_WRITE_QUEUE_H
#define BRIDGE_WRITE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "../support/compiler.h"
#include "../support/limits.h"
#include "../support/time.h"

/** The reason for writing a level, which the player needs if it withdraws the write (SPEC 6,
    REVISE). */
enum bridge_write_kind {
    BRIDGE_WRITE_LEVEL,      /**< the level of the ramp */
    BRIDGE_WRITE_TAP,        /**< the beginning of a tap */
    BRIDGE_WRITE_TAP_IN_TAP, /**< the beginning of a tap during another tap */
    BRIDGE_WRITE_TAP_END, /**< the end of a tap, when the actuators begin to output the level of the
                             ramp again */

    /** A flag in addition to the reason: the frequency must be written before the level. */
    BRIDGE_WRITE_NEEDS_TONE = 0x80,
};

/** Returns the reason of a kind without the flag. */
static inline uint8_t write_reason(uint8_t kind) {
    return BRIDGE_HAS_BAND ? (uint8_t)(kind & ~BRIDGE_WRITE_NEEDS_TONE) : kind;
}

/** A timed write: a level for the chips of a stream's actuators. The size of this struct must
    divide 256: it is 8 bytes for one actuator, and 16 bytes for several. */
struct bridge_write {
    uint32_t due_us;                       /**< the time of the level */
    volatile uint8_t kind;                 /**< enum bridge_write_kind */
    uint8_t level;                         /**< the level before gain, curve and clamp */
    uint8_t values[BRIDGE_ACTUATOR_COUNT]; /**< values for the chips' level registers; a new gain
                                              changes these values */
#if BRIDGE_ACTUATOR_COUNT > 1
    uint8_t stream; /**< the number of the stream, the same for all entries of a queue */
    uint8_t tone;   /**< the sharpness, which determines the frequency of each actuator */
#if BRIDGE_ACTUATOR_COUNT < 8
    uint8_t unused[8 - BRIDGE_ACTUATOR_COUNT];
#endif
#else
    uint8_t tone; /**< the value for the chip's frequency register */
#endif
};

/** Returns the time at which the first transfer of a write is due. */
uint32_t write_start_us(const struct bridge_write *write);

/** Does the work of write_start_us for an interrupt, without a function call. */
BRIDGE_INLINE uint32_t write_start_inline_us(const struct bridge_write *write) {
    uint32_t start_us = write->due_us;
    if (BRIDGE_HAS_BAND && (write->kind & BRIDGE_WRITE_NEEDS_TONE)) {
        start_us -= BRIDGE_FREQUENCY_LEAD_US;
    }
    return start_us;
}

struct bridge_write_queue {
    volatile uint8_t head; /**< number of bytes of all entries pushed, modulo 256 */
    volatile uint8_t tail; /**< number of bytes of all entries taken, modulo 256 */
#if BRIDGE_ACTUATOR_COUNT > 1
    volatile uint8_t remaining; /**< mask of the actuators that the entry at `tail` has not reached
                                   yet; 0 means all */
#endif
    struct bridge_write entries[BRIDGE_WRITE_COUNT];
};

/** The size of an entry in bytes. */
#define BRIDGE_WRITE_SIZE ((uint8_t)sizeof(struct bridge_write))

/** Returns the number of bytes of the waiting entries. */
static inline uint8_t write_queue_count(const struct bridge_write_queue *writes) {
    return (uint8_t)(writes->head - writes->tail);
}

/** Returns the entry at a value of `head` or `tail`. The pointer is hidden from the optimizer,
    which would otherwise add a null test to the timer's interrupt. */
BRIDGE_INLINE struct bridge_write *write_queue_at(struct bridge_write_queue *writes,
                                                  uint8_t count) {
    uint8_t offset = count % sizeof writes->entries;
    return BRIDGE_OPTIMIZER_HIDE(
        (struct bridge_write *)(void *)((uint8_t *)writes->entries + offset));
}

/** True if one more entry may be pushed. The entry that was taken last must not be overwritten,
    because its write may fail and be queued again. */
static inline bool write_queue_has_room(const struct bridge_write_queue *writes) {
    return write_queue_count(writes) < sizeof writes->entries - BRIDGE_WRITE_SIZE;
}

/** Stores the number of the stream in the entries of an empty queue, if there are several streams.
 */
void write_queue_init(struct bridge_write_queue *writes, uint8_t stream);

/** Appends the entry that has been filled in at `head`. */
void write_queue_push(struct bridge_write_queue *writes);

/** Puts the entry that was taken last back into the queue, due at `now_us`. */
void write_queue_requeue(struct bridge_write_queue *writes, uint32_t now_us);

/** Discards all entries. */
void write_queue_clear(struct bridge_write_queue *writes);

/** Returns the entry that was pushed last, even if it has already been taken. */
BRIDGE_INLINE struct bridge_write *write_queue_newest(struct bridge_write_queue *writes) {
    return write_queue_at(writes, (uint8_t)(writes->head - BRIDGE_WRITE_SIZE));
}

/** Discards the entries that are due at `from_us` or later. Returns the earliest discarded entry,
    which is valid until the next push; null if no entry was discarded. */
const struct bridge_write *write_queue_truncate(struct bridge_write_queue *writes,
                                                uint32_t from_us);

#endif
