#include "writes.h"

#include "bridge_atomic.h"
#include "bridge_outline.h"
#include "bridge_time.h"

_Static_assert((BRIDGE_WRITE_COUNT & (BRIDGE_WRITE_COUNT - 1)) == 0, "a power of two");
_Static_assert(BRIDGE_WRITE_COUNT * sizeof(struct bridge_write) <= 256, "a place has 8 bits");

void writes_push(struct bridge_writes *writes) {
    BRIDGE_ATOMIC_BEGIN
    writes->head++;
    BRIDGE_ATOMIC_END
}

void writes_put_back(struct bridge_writes *writes, uint32_t now_us) {
    writes->tail--;
    writes_at(writes, writes->tail)->due_us = now_us;
}

void writes_clear(struct bridge_writes *writes) {
    BRIDGE_ATOMIC_BEGIN
    writes->head = writes->tail;
    BRIDGE_ATOMIC_END
}

BRIDGE_OUTLINE const struct bridge_write *writes_drop(struct bridge_writes *writes,
                                                      uint32_t from_us) {
    const struct bridge_write *earliest = 0;
    BRIDGE_ATOMIC_BEGIN
    while (writes_count(writes) && writes_reach(writes, from_us)) {
        writes->head--;
        earliest = writes_at(writes, writes->head);
    }
    BRIDGE_ATOMIC_END
    return earliest;
}
