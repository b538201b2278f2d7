// The step mark: bit 0 of the SIO's INTERP0_ACCUM0. An image sets this bit during each step of its
// work; setting the bit takes one cycle. The simulator measures the longest time for which the bit
// has been set. The interpolator itself is not modeled.
#ifndef STEP_MARK_H
#define STEP_MARK_H

#include <stdint.h>

#define SIO_INTERP0_ACCUM0 0x80u

struct step_mark {
    uint32_t value;
    uint64_t begun;
    uint64_t longest; // the longest time since the last reset, in cycles
};

void step_mark_reset(struct step_mark *mark);
void step_mark_write(struct step_mark *mark, uint64_t now, uint32_t value);

#endif
