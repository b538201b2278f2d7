/* Whose transfer is next on the bus, and what its result means. */
#include "bridge.h"

#include "bridge_atomic.h"
#include "bridge_outline.h"
#include "bridge_time.h"
#include "drv2605.h"

#define BUS_GUARD_US 250        /* the longest transfer that is not due, and some margin */
#define BUS_GUARD_OVERDUE_US 90 /* however dense the writes, the chip is looked after */
#define BUS_FAILURES_MAX 3

/* ---- Timed writes ------------------------------------------------------------------------ */

BRIDGE_OUTLINE struct bridge_write *bridge_first_write(struct bridge *bridge) {
    struct bridge_write *first = 0;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct bridge_write *write = actuator_next_write(&bridge->actuators[index]);
        if (write && (!first || bridge_is_before(write->due_us, first->due_us))) {
            first = write;
        }
    }
    return first;
}

void bridge_hasten(struct bridge *bridge, uint32_t now_us) {
    struct bridge_write *write = bridge_first_write(bridge);
    if (write && bridge_is_before(write->due_us, now_us)) {
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

/* ---- Untimed transfers ------------------------------------------------------------------- */

/* Nothing untimed starts shortly before a due write; what makes an actuator safe waits for none. */
static uint8_t guard_us(const struct actuator *actuator, uint32_t now_us) {
    return drv2605_is_coming_to_rest(actuator)                  ? 0
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

bool bridge_take_untimed(struct bridge *bridge, uint32_t now_us) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct actuator *actuator = &bridge->actuators[index];
        bool shows_anew = actuator->shows_old_gain && drv2605_is_ready(actuator);
        if ((!shows_anew && !drv2605_wants_transfer(actuator, drv2605_time(now_us))) ||
            !reserve_bus(bridge, now_us, guard_us(actuator, now_us))) {
            continue;
        }
        if (shows_anew) {
            take_shown(bridge, actuator);
        } else {
            bridge->bus_step = actuator->step;
            drv2605_next_transfer(actuator, &bridge->transfer);
        }
        bridge->transfer.actuator = index;
        bridge->bus_actuator = index;
        return true;
    }
    return false;
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
    if (actuator->state != BRIDGE_ACTUATOR_AWAKE) {
        return false;
    }
    if (++actuator->failures < BUS_FAILURES_MAX) {
        return true;
    }
    drv2605_shut_down(actuator, ACTUATOR_FAULT(BRIDGE_FAULT_BUS));
    return false;
}

static void fail_due(struct bridge *bridge, uint32_t now_us) {
    struct actuator *actuator = bridge_actuator(bridge, bridge->transfer.actuator);
    if (is_repeated(bridge, actuator)) {
        writes_put_back(&actuator->writes, now_us);
    }
    bridge->bus_owner = BUS_FREE;
}

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
    if (actuator->step == bridge->bus_step) { /* else it was overtaken, by a stop for one */
        drv2605_done(actuator, ok, bridge->bus_value, drv2605_time(now_us));
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
