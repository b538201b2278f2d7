#include "bridge_time.h"

#include "bridge_outline.h"

BRIDGE_OUTLINE bool bridge_is_due(uint32_t due, uint32_t now) {
    return !bridge_is_before(now, due);
}
