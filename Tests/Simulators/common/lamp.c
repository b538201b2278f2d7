#include "lamp.h"

void lamp_set(struct lamp *lamp, uint64_t now, bool on) {
    if (on == lamp->is_lit) {
        return;
    }
    lamp->lit = lamp_lit(lamp, now);
    lamp->lit_from = now;
    lamp->is_lit = on;
}

uint64_t lamp_lit(const struct lamp *lamp, uint64_t now) {
    return lamp->lit + (lamp->is_lit ? now - lamp->lit_from : 0);
}
