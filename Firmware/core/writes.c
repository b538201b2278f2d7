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

/* Takes back the newest entry if it is due at `from_us` or later. */
static const struct bridge_write *drop_newest(struct bridge_writes *writes, uint32_t from_us) {
    const struct bridge_write *dropped = 0;
    BRIDGE_ATOMIC_BEGIN
    const struct bridge_write *newest = writes_at(writes, (uint8_t)(writes->head - 1));
    if (writes_count(writes) && !bridge_is_before(newest->due_us, from_us)) {
        writes->head--;
        dropped = newest;
    }
    BRIDGE_ATOMIC_END
    return dropped;
}

BRIDGE_OUTLINE const struct bridge_write *writes_drop(struct bridge_writes *writes,
                                                      uint32_t from_us) {
    const struct bridge_write *earliest = 0;
    const struct bridge_write *dropped;
    while ((dropped = drop_newest(writes, from_us))) {
        earliest = dropped;
    }
    return earliest;
}
