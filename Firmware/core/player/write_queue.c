#include "write_queue.h"

#include "../support/critical.h"
#include "../support/time.h"

_Static_assert(256 % sizeof(((struct bridge_write_queue *)0)->entries) == 0,
               "the entries must divide the range of an 8-bit count");

BRIDGE_NOINLINE uint32_t write_start_us(const struct bridge_write *write) {
    return write_start_inline_us(write);
}

void write_queue_init(struct bridge_write_queue *writes, uint8_t stream) {
#if BRIDGE_ACTUATOR_COUNT > 1
    for (uint8_t index = 0; index < BRIDGE_WRITE_COUNT; index++) {
        writes->entries[index].stream = stream;
    }
#else
    (void)writes;
    (void)stream;
#endif
}

/* Appends an entry. The critical section is a barrier: the entry is complete in memory before
   `head` includes it. */
void write_queue_push(struct bridge_write_queue *writes) {
    BRIDGE_CRITICAL_ENTER
    writes->head = (uint8_t)(writes->head + BRIDGE_WRITE_SIZE);
    BRIDGE_CRITICAL_EXIT
}

/* Requeues the entry that was taken last. Its contents still exist, because write_queue_has_room
   ensures that no push overwrites them. */
void write_queue_requeue(struct bridge_write_queue *writes, uint32_t now_us) {
    writes->tail = (uint8_t)(writes->tail - BRIDGE_WRITE_SIZE);
    write_queue_at(writes, writes->tail)->due_us = now_us;
}

void write_queue_clear(struct bridge_write_queue *writes) {
    BRIDGE_CRITICAL_ENTER
    writes->head = writes->tail;
#if BRIDGE_ACTUATOR_COUNT > 1
    writes->remaining = 0;
#endif
    BRIDGE_CRITICAL_EXIT
}

/* Returns the size of the entry whose level has reached only some of its actuators; 0 if there is
   no such entry. Such an entry cannot be discarded, because its level must also reach the other
   actuators. */
static uint8_t partial_size(struct bridge_write_queue *writes) {
#if BRIDGE_ACTUATOR_COUNT > 1
    bool is_partial = writes->remaining;
    if (BRIDGE_HAS_BAND) {
        is_partial &= !(write_queue_at(writes, writes->tail)->kind & BRIDGE_WRITE_NEEDS_TONE);
    }
    return is_partial ? BRIDGE_WRITE_SIZE : 0;
#else
    (void)writes;
    return 0;
#endif
}

const struct bridge_write *write_queue_truncate(struct bridge_write_queue *writes,
                                                uint32_t from_us) {
    const struct bridge_write *earliest = 0;
    BRIDGE_CRITICAL_ENTER
    while (write_queue_count(writes) > partial_size(writes) &&
           !bridge_is_before(write_queue_newest(writes)->due_us, from_us)) {
        writes->head = (uint8_t)(writes->head - BRIDGE_WRITE_SIZE);
        earliest = write_queue_at(writes, writes->head);
    }
#if BRIDGE_ACTUATOR_COUNT > 1 && BRIDGE_HAS_BAND
    if (!write_queue_count(writes)) {
        writes->remaining = 0; /* an entry whose frequency has reached some actuators */
    }
#endif
    BRIDGE_CRITICAL_EXIT
    return earliest;
}
