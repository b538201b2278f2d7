#include "writes.h"

#include "bridge_atomic.h"
#include "bridge_outline.h"
#include "bridge_time.h"

_Static_assert(256 % sizeof(((struct bridge_writes *)0)->entries) == 0,
               "running counts in 8 bits end where entries do");

void writes_push(struct bridge_writes *writes) {
    BRIDGE_ATOMIC_BEGIN
    writes->head = (uint8_t)(writes->head + WRITE_SIZE);
    BRIDGE_ATOMIC_END
}

void writes_put_back(struct bridge_writes *writes, uint32_t now_us) {
    writes->tail = (uint8_t)(writes->tail - WRITE_SIZE);
    writes_at(writes, writes->tail)->due_us = now_us;
}

void writes_clear(struct bridge_writes *writes) {
    BRIDGE_ATOMIC_BEGIN
    writes->head = writes->tail;
#if BRIDGE_ACTUATOR_COUNT > 1
    writes->left = 0;
#endif
    BRIDGE_ATOMIC_END
}

/* Bytes of the entry that has reached some of its actuators: it goes on to the others. */
static uint8_t begun(const struct bridge_writes *writes) {
#if BRIDGE_ACTUATOR_COUNT > 1
    return writes->left ? WRITE_SIZE : 0;
#else
    (void)writes;
    return 0;
#endif
}

BRIDGE_OUTLINE const struct bridge_write *writes_drop(struct bridge_writes *writes,
                                                      uint32_t from_us) {
    const struct bridge_write *earliest = 0;
    BRIDGE_ATOMIC_BEGIN
    while (writes_count(writes) > begun(writes) &&
           !bridge_is_before(writes_newest(writes)->due_us, from_us)) {
        writes->head = (uint8_t)(writes->head - WRITE_SIZE);
        earliest = writes_at(writes, writes->head);
    }
    BRIDGE_ATOMIC_END
    return earliest;
}
