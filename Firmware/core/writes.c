#include "writes.h"

#include "bridge_atomic.h"
#include "bridge_time.h"

_Static_assert((BRIDGE_WRITE_COUNT & (BRIDGE_WRITE_COUNT - 1)) == 0, "a power of two");
_Static_assert(BRIDGE_WRITE_COUNT <= 128, "counts are modulo 256");

uint8_t writes_count(const struct bridge_writes *writes) {
    return (uint8_t)(writes->head - writes->tail);
}

uint8_t writes_room(const struct bridge_writes *writes) {
    return (uint8_t)(BRIDGE_WRITE_COUNT - (uint8_t)(writes->head - writes->settled));
}

static struct bridge_write *slot(struct bridge_writes *writes, uint8_t count) {
    return &writes->entries[count & (BRIDGE_WRITE_COUNT - 1)];
}

/* Most entries go to the end, which holds up no interrupt. */
void writes_push(struct bridge_writes *writes, const struct bridge_write *write) {
    uint8_t at = writes->head;
    *slot(writes, at) = *write;
    BRIDGE_ATOMIC_BEGIN
    writes->head = (uint8_t)(at + 1);
    while (at != writes->tail &&
           bridge_is_before(write->due_us, slot(writes, (uint8_t)(at - 1))->due_us)) {
        *slot(writes, at) = *slot(writes, (uint8_t)(at - 1));
        at--;
        *slot(writes, at) = *write;
    }
    BRIDGE_ATOMIC_END
}

struct bridge_write *writes_at(struct bridge_writes *writes, uint8_t index) {
    return slot(writes, (uint8_t)(writes->tail + index));
}

struct bridge_write *writes_first(struct bridge_writes *writes) {
    return writes_count(writes) ? writes_at(writes, 0) : 0;
}

void writes_pop(struct bridge_writes *writes) { writes->tail = (uint8_t)(writes->tail + 1); }

void writes_put_back(struct bridge_writes *writes) { writes->tail = (uint8_t)(writes->tail - 1); }

bool writes_has(struct bridge_writes *writes, uint16_t mask) {
    for (uint8_t index = 0; index < writes_count(writes); index++) {
        if (mask >> writes_at(writes, index)->actuator & 1) {
            return true;
        }
    }
    return false;
}

/* Whether an entry is due at `from_us` or later: entries lie in order of time. */
static bool reaches(struct bridge_writes *writes, uint32_t from_us) {
    return writes_count(writes) &&
           bridge_is_due(from_us, slot(writes, (uint8_t)(writes->head - 1))->due_us);
}

static bool is_dropped(const struct bridge_write *write, uint16_t mask, const uint32_t *from_us) {
    return (mask >> write->actuator & 1) && (!from_us || bridge_is_due(*from_us, write->due_us));
}

bool writes_drop(struct bridge_writes *writes, uint16_t mask, const uint32_t *from_us,
                 struct bridge_write *earliest) {
    bool found = false;
    if (from_us && !reaches(writes, *from_us)) {
        return false; /* the usual case, without holding up the interrupt */
    }
    earliest->kind = WRITE_REGISTER;
    BRIDGE_ATOMIC_BEGIN
    uint8_t count = writes_count(writes);
    uint8_t kept = 0;
    for (uint8_t index = 0; index < count; index++) {
        struct bridge_write *write = writes_at(writes, index);
        if (!is_dropped(write, mask, from_us)) {
            *writes_at(writes, kept++) = *write;
            continue;
        }
        found = true;
        if (earliest->kind == WRITE_REGISTER) {
            *earliest = *write;
        }
    }
    writes->head = (uint8_t)(writes->tail + kept);
    BRIDGE_ATOMIC_END
    return found;
}
