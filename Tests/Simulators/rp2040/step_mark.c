#include "step_mark.h"

#include <stdbool.h>

#define MARK 1u

void step_mark_reset(struct step_mark *mark) { *mark = (struct step_mark){.value = 0}; }

void step_mark_write(struct step_mark *mark, uint64_t now, uint32_t value) {
    bool was_set = (mark->value & MARK) != 0;
    bool is_set = (value & MARK) != 0;
    mark->value = value;
    if (is_set && !was_set) {
        mark->begun = now;
    } else if (was_set && !is_set && now - mark->begun > mark->longest) {
        mark->longest = now - mark->begun;
    }
}
