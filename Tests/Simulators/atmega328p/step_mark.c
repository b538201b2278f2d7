#include "step_mark.h"

#define MARK 0x01

static void write(void *owner, uint16_t address, uint8_t value) {
    struct step_mark *mark = owner;
    struct mcu *mcu = mark->mcu;
    bool was_set = (mcu->data[address] & MARK) != 0;
    bool is_set = (value & MARK) != 0;
    mcu->data[address] = value;
    if (is_set && !was_set) {
        mark->begun = mcu->now;
    } else if (was_set && !is_set && mcu->now - mark->begun > mark->longest) {
        mark->longest = mcu->now - mark->begun;
    }
}

void step_mark_init(struct step_mark *mark, struct mcu *mcu) {
    *mark = (struct step_mark){.mcu = mcu};
    mcu_on_write(mcu, GPIOR0, write, mark);
}

void step_mark_reset(struct step_mark *mark) { mark->longest = 0; }
