// The longest time for which bit 0 of GPIOR0 was set. The firmware sets it during each step of
// work.
#ifndef STEP_MARK_H
#define STEP_MARK_H

#include "mcu.h"

struct step_mark {
    struct mcu *mcu;
    uint64_t begun;
    uint64_t longest; // cycles, since the last reset
};

void step_mark_init(struct step_mark *mark, struct mcu *mcu);
void step_mark_reset(struct step_mark *mark);

#endif
