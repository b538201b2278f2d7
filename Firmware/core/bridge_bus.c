/* Whose transfer is next on the bus, and what its result means. */
#include "bridge.h"

#include "bridge_atomic.h"
#include "bridge_outline.h"
#include "bridge_time.h"
#include "drv2605.h"

#define BUS_GUARD_US 250        /* the longest transfer that is not due, and some margin */
#define BUS_GUARD_OVERDUE_US 90 /* however dense the writes, the chip is looked after */
#define BUS_GUARD_SWITCH_US 90  /* leading the bus to other actuators ahead of time */
#define BUS_FAILURES_MAX 3

/* ---- Timed writes ------------------------------------------------------------------------ */

BRIDGE_OUTLINE struct bridge_write *bridge_first_write(struct bridge *bridge) {
    struct bridge_write *first = 0;
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        struct bridge_write *write = bridge_stream_write(bridge, &bridge->streams[index]);
        if (write && (!first || bridge_is_before(write->due_us, first->due_us))) {
            first = write;
        }
    }
    return first;
}

/* It has not reached some of its actuators already. */
static bool is_fresh(struct bridge *bridge, const struct bridge_write *write) {
#if BRIDGE_ACTUATOR_COUNT > 1
    return !bridge_stream_of(bridge, write)->writes.left;
#else
    (void)bridge;
    (void)write;
    return true;
#endif
}

void bridge_hasten(struct bridge *bridge, uint32_t now_us) {
    struct bridge_write *write = bridge_first_write(bridge);
    if (write && is_fresh(bridge, write) && bridge_is_before(write->due_us, now_us)) {
        uint32_t late_us = now_us - write->due_us;
        write->due_us = now_us;
        if (late_us > bridge->counters.latest_us) {
            bridge->counters.latest_us = late_us;
        }
        if (late_us > BRIDGE_LATE_US) {
            bridge->late_writes++;
        }
    }
}

bool bridge_take_due(struct bridge *bridge, uint32_t now_us) {
    const struct bridge_write *write = bridge_first_write(bridge);
    if (!write || bridge->bus_owner != BUS_FREE || bridge_is_before(now_us, write->due_us)) {
        return false;
    }
    bridge_hasten(bridge, now_us);
    bridge_take_write(bridge, write);
    return true;
}

#if BRIDGE_ACTUATOR_COUNT > 1

/* The actuators that a write has still to reach. */
static uint8_t left_of(const struct stream *stream) {
    uint8_t left = stream->writes.left;
    return left ? left : stream->actuators & UINT8_MAX;
}

/* Of these, those that one transfer reaches: the lowest, and all that get the same value. They
   `show` it from now on, if they are given. */
static uint8_t next_group(const struct bridge_write *write, uint8_t left, struct actuator *show) {
    const uint8_t *value = write->values;
    uint8_t shared = 0;
    uint8_t group = 0;
    for (uint8_t bit = 1; left; left >>= 1, bit = (uint8_t)(bit << 1), value++) {
        if ((left & 1) && (!group || *value == shared)) {
            shared = *value;
            group |= bit;
            if (show) {
                show->shown = write->level;
            }
        }
        if (show) {
            show++;
        }
    }
    return group;
}

/* An interrupt waits for it: shifts by a variable number take their time. */
bool bridge_take_write(struct bridge *bridge, const struct bridge_write *write) {
    struct bridge_writes *writes = &bridge_stream_of(bridge, write)->writes;
    bool is_first = !writes->left;
    uint8_t left = left_of(bridge_stream_of(bridge, write));
    uint8_t group = next_group(write, left, bridge->actuators);
    const uint8_t *value = write->values;
    for (uint8_t bits = group; !(bits & 1); bits >>= 1) {
        value++;
    }
    left &= (uint8_t)~group;
    writes->left = left;
    if (!left) {
        writes->tail = (uint8_t)(writes->tail + WRITE_SIZE);
    }
    bridge->transfer.actuators = group;
    bridge->transfer.reg = DRV2605_REG_RTP_INPUT;
    bridge->transfer.value = *value;
    bridge->transfer.is_read = false;
    bridge->bus_owner = BUS_DUE;
    return is_first;
}

#endif

/* ---- Untimed transfers ------------------------------------------------------------------- */

/* Nothing untimed starts shortly before a due write; what makes an actuator safe waits for none. Of
   several actuators, it has its turn. */
static uint8_t guard_us(const struct bridge *bridge, const struct actuator *actuator,
                        uint32_t now_us) {
    return bridge_actuators(bridge) > 1                         ? BUS_GUARD_US
           : drv2605_is_coming_to_rest(actuator)                ? 0
           : drv2605_is_overdue(actuator, drv2605_time(now_us)) ? BUS_GUARD_OVERDUE_US
                                                                : BUS_GUARD_US;
}

/* Writes are rendered less than 32 ms ahead: 16 bits tell whether one comes too soon. */
static bool reserve_bus(struct bridge *bridge, uint32_t now_us, uint8_t guard_us) {
    bool is_free;
    BRIDGE_ATOMIC_BEGIN
    const struct bridge_write *write = bridge_first_write(bridge);
    is_free = !(bridge->bus_owner | bridge->bus_ended) &&
              !(write && (int16_t)(write->due_us - now_us) < guard_us);
    if (is_free) {
        bridge->bus_owner = BUS_DRIVER;
    }
    BRIDGE_ATOMIC_END
    return is_free;
}

/* The level now shown, with the gain of now. */
static void take_shown(struct bridge *bridge, struct actuator *actuator) {
    actuator->shows_old_gain = false;
    bridge->bus_owner = BUS_SHOWN;
    bridge->transfer = (struct bridge_transfer){
        .reg = DRV2605_REG_RTP_INPUT,
        .value = actuator_value(actuator, actuator->shown),
    };
}

#if BRIDGE_ACTUATOR_COUNT > 1
/* What the timer's interrupt may take meanwhile holds no other bus than this one. */
bool bridge_take_switch(struct bridge *bridge, uint8_t selected, uint32_t now_us) {
    const struct bridge_write *write = bridge_first_write(bridge);
    if (!write) {
        return false;
    }
    uint8_t group = next_group(write, left_of(bridge_stream_of(bridge, write)), 0);
    if (group == selected || !reserve_bus(bridge, now_us, BUS_GUARD_SWITCH_US)) {
        return false;
    }
    bridge->bus_owner = BUS_SWITCH;
    bridge->transfer.actuators = group;
    return true;
}
#endif

#if BRIDGE_ACTUATOR_COUNT > 1
/* Writes of several parts leave no gap that could be counted on. After each untimed transfer, until
   its result has been looked at, they have their turn. */
void bridge_assign_turn(struct bridge *bridge, uint32_t now_us) {
    bool is_pressing = false;
    if (bridge_actuators(bridge) > 1 && !((bridge->bus_owner | bridge->bus_ended) & BUS_SHOWN)) {
        for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
            is_pressing |= drv2605_is_pressing(&bridge->actuators[index], drv2605_time(now_us));
        }
    }
    bridge->writes_wait = is_pressing;
}
#endif

/* One chip at a time is enabled to be reset: on a bus that is broken others would drive meanwhile
   what they have kept. */
static bool may_enable(const struct bridge *bridge) {
    for (uint8_t index = 0; BRIDGE_ACTUATOR_COUNT > 1 && index < bridge_actuators(bridge);
         index++) {
        if (drv2605_is_unquieted(&bridge->actuators[index])) {
            return false;
        }
    }
    return true;
}

static bool wants_transfer(const struct bridge *bridge, struct actuator *actuator,
                           uint32_t now_us) {
    bool may = actuator->is_enabled || may_enable(bridge);
    return drv2605_wants_transfer(actuator, drv2605_time(now_us), may);
}

/* What makes an actuator safe goes before all looks at others; those have their turn, however
   seldom the port comes round. */
static uint8_t first_asked(const struct bridge *bridge) {
    uint8_t count = bridge_actuators(bridge);
    for (uint8_t index = 0; BRIDGE_ACTUATOR_COUNT > 1 && index < count; index++) {
        if (drv2605_is_urgent(&bridge->actuators[index])) {
            return index;
        }
    }
    uint8_t next = (uint8_t)(bridge->bus_actuator + 1);
    return next < count ? next : 0;
}

static bool take_untimed(struct bridge *bridge, uint32_t now_us) {
    uint8_t count = bridge_actuators(bridge);
    uint8_t index = first_asked(bridge);
    for (uint8_t left = count; left; left--, index = (uint8_t)(index + 1 < count ? index + 1 : 0)) {
        struct actuator *actuator = &bridge->actuators[index];
        bool shows_anew = actuator->shows_old_gain && drv2605_is_ready(actuator);
        if ((!shows_anew && !wants_transfer(bridge, actuator, now_us)) ||
            !reserve_bus(bridge, now_us, guard_us(bridge, actuator, now_us))) {
            continue;
        }
        if (shows_anew) {
            take_shown(bridge, actuator);
        } else {
            bridge->bus_step = actuator->step;
            drv2605_next_transfer(actuator, &bridge->transfer);
        }
        if (BRIDGE_ACTUATOR_COUNT > 1) {
            bridge->transfer.actuators = (uint8_t)(1u << index);
        }
        bridge->bus_actuator = index;
        return true;
    }
    return false;
}

bool bridge_take_untimed(struct bridge *bridge, uint32_t now_us) {
    bool has_taken = take_untimed(bridge, now_us);
#if BRIDGE_ACTUATOR_COUNT > 1
    bridge->writes_wait = false;
#endif
    return has_taken;
}

/* ---- Results ----------------------------------------------------------------------------- */

BRIDGE_OUTLINE static void count_error(struct bridge *bridge, struct actuator *actuator) {
    bridge->counters.bus_errors++;
    actuator->faults |= ACTUATOR_FAULT(BRIDGE_FAULT_BUS);
}

/* What did not arrive goes out again at once, unless it is for nothing by now; three failures in a
   row are a broken bus. */
BRIDGE_OUTLINE static bool is_repeated(struct bridge *bridge, struct actuator *actuator) {
    count_error(bridge, actuator);
    if (actuator->state != BRIDGE_ACTUATOR_AWAKE || !actuator->is_wanted) {
        return false;
    }
#if BRIDGE_ACTUATOR_COUNT > 1
    bridge->has_failures = true;
#endif
    if (++actuator->failures < BUS_FAILURES_MAX) {
        return true;
    }
    drv2605_shut_down(actuator, ACTUATOR_FAULT(BRIDGE_FAULT_BUS));
    return false;
}

#if BRIDGE_ACTUATOR_COUNT > 1

/* The stream has not gone on: what was taken last is one of its writes. */
static void fail_due(struct bridge *bridge, uint32_t now_us) {
    uint8_t failed = bridge->transfer.actuators;
    uint8_t again = 0;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        uint8_t bit = (uint8_t)(1u << index);
        if ((failed & bit) && is_repeated(bridge, &bridge->actuators[index])) {
            again |= bit;
        }
    }
    for (uint8_t index = 0; again && index < bridge_streams(bridge); index++) {
        struct stream *stream = &bridge->streams[index];
        if (stream->actuators & again) {
            if (!stream->writes.left) {
                writes_put_back(&stream->writes, now_us);
            }
            stream->writes.left |= again;
        }
    }
    bridge->bus_owner = BUS_FREE;
}

#else

static void fail_due(struct bridge *bridge, uint32_t now_us) {
    if (is_repeated(bridge, &bridge->actuators[0])) {
        writes_put_back(&bridge->streams[0].writes, now_us);
    }
    bridge->bus_owner = BUS_FREE;
}

#endif

static void finish_shown(struct bridge *bridge, struct actuator *actuator, bool ok) {
    if (ok) {
        actuator->failures = 0;
        return;
    }
    if (is_repeated(bridge, actuator)) {
        actuator->shows_old_gain = true;
    }
}

static void finish_driver(struct bridge *bridge, struct actuator *actuator, bool ok,
                          uint32_t now_us) {
    if (!ok && !drv2605_may_be_silent(actuator)) {
        count_error(bridge, actuator);
    }
    if (actuator->step == bridge->bus_step) {
        drv2605_done(actuator, ok, bridge->bus_value, drv2605_time(now_us));
    } else if (ok) { /* it was overtaken, by a stop for one */
        drv2605_note_protection(actuator, bridge->bus_step, bridge->bus_value);
    }
}

void bridge_finish_transfer(struct bridge *bridge, uint32_t now_us) {
    if (bridge->bus_owner == (BUS_DUE | BUS_FAILED)) {
        fail_due(bridge, now_us);
    }
    uint8_t ended = bridge->bus_ended;
    if (!ended) {
        return;
    }
    struct actuator *actuator = bridge_actuator(bridge, bridge->bus_actuator);
    bool ok = !(ended & BUS_FAILED);
    bridge->bus_ended = BUS_FREE;
    if ((ended & BUS_OWNER_MASK) == BUS_DRIVER) {
        finish_driver(bridge, actuator, ok, now_us);
    } else {
        finish_shown(bridge, actuator, ok);
    }
}

bool bridge_driver_is_on_bus(const struct bridge *bridge, uint8_t actuator) {
    uint8_t owners = bridge->bus_owner | bridge->bus_ended;
    return (owners & BUS_OWNER_MASK) == BUS_DRIVER &&
           (BRIDGE_ACTUATOR_COUNT == 1 || bridge->bus_actuator == actuator);
}
