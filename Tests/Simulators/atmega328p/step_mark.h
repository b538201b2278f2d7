// The longest time for which bit 0 of GPIOR0 has been set. The firmware sets this bit during each
// step of its work.
#ifndef STEP_MARK_H
#define STEP_MARK_H

#include "mcu.h"

struct step_mark {
    struct mcu *mcu;
    uint64_t begun;
    uint64_t longest; // the longest time since the last reset, in cycles
};

void step_mark_init(struct step_mark *mark, struct mcu *mcu);
void step_mark_reset(struct step_mark *mark);

#endif
