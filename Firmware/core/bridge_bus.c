/* Whose transfer is next on the bus, and what its result means. */
#include "bridge.h"

#include "bridge_atomic.h"
#include "bridge_time.h"
#include "drv2605.h"

#define BUS_GUARD_US 250u        /* the longest transfer that is not due, and some margin */
#define BUS_GUARD_OVERDUE_US 60u /* however dense the writes, the chip is looked after */
#define BUS_FAILURES_MAX 3

static bool starts_effect(uint8_t reg, uint8_t value) {
    return (reg == DRV2605_REG_GO && value) ||
           (reg == DRV2605_REG_MODE && value == DRV2605_MODE_INTERNAL_TRIGGER);
}

/* In doubt the chip plays an effect: from the attempt to start one until levels hold again. */
static void note_register(struct actuator *actuator, uint8_t reg, uint8_t value) {
    if (starts_effect(reg, value)) {
        actuator->in_effect = true;
    } else if (reg == DRV2605_REG_MODE) {
        actuator->in_effect = false;
    }
}

/* ---- Timed writes ------------------------------------------------------------------------ */

static bool take_due(struct bridge *bridge, uint32_t now_us) {
    struct bridge_write *write = writes_first(&bridge->writes);
    if (bridge->bus_owner != BUS_FREE || !write || bridge_is_before(now_us, write->due_us)) {
        return false;
    }
    const struct actuator *actuator = &bridge->actuators[write->actuator];
    if (!drv2605_is_ready(actuator)) {
        return false;
    }
    writes_pop(&bridge->writes);
    if (actuator->is_muted && starts_effect(write->reg, write->value)) {
        write->kind = WRITE_VOID;
        return false;
    }
    write->due_us = now_us - write->due_us;
    bridge->transfer.actuator = write->actuator;
    bridge->transfer.reg = write->reg;
    bridge->transfer.value = write->value;
    bridge->transfer.is_read = false;
    bridge->bus_owner = BUS_DUE;
    return true;
}

bool bridge_take_due(struct bridge *bridge, uint32_t now_us) {
    bool taken;
    BRIDGE_ATOMIC_BEGIN
    taken = take_due(bridge, now_us);
    BRIDGE_ATOMIC_END
    return taken;
}

bool bridge_next_due(struct bridge *bridge, uint32_t *due_us) {
    const struct bridge_write *write = writes_first(&bridge->writes);
    if (write) {
        *due_us = write->due_us;
    }
    return write;
}

static void count_lateness(struct bridge_counters *counters, uint32_t late_us) {
    if (late_us > counters->latest_us) {
        counters->latest_us = late_us;
    }
    if (late_us > BRIDGE_LATE_US) {
        counters->late_events++;
    }
}

/* A write has gone out: what the chip shows now. One that is being stopped shows nothing new. */
static void settle(struct bridge *bridge, const struct bridge_write *write) {
    struct actuator *actuator = &bridge->actuators[write->actuator];
    actuator->failures = 0;
    count_lateness(&bridge->counters, write->due_us);
    if (write->kind == WRITE_REGISTER) {
        note_register(actuator, write->reg, write->value);
        if (actuator->in_effect && actuator->is_muted) { /* muted while it was on its way */
            actuator->immediate |= IMMEDIATE_GO | IMMEDIATE_MODE;
        }
    } else if (actuator->state == BRIDGE_ACTUATOR_AWAKE) {
        actuator->shown = write->level;
    }
}

/* The tail is read before the owner: an interrupt between them makes one write wait for the next
   time, and no more. */
void bridge_settle_writes(struct bridge *bridge) {
    struct bridge_writes *writes = &bridge->writes;
    uint8_t end = writes->tail;
    if ((bridge->bus_owner & BUS_OWNER_MASK) == BUS_DUE) {
        end--;
    }
    while ((int8_t)(end - writes->settled) > 0) {
        const struct bridge_write *write =
            writes_at(writes, (uint8_t)(writes->settled - writes->tail));
        if (write->kind != WRITE_VOID) {
            settle(bridge, write);
        }
        writes->settled++;
    }
}

/* ---- Untimed transfers ------------------------------------------------------------------- */

/* Nothing untimed starts shortly before a due write; what makes an actuator safe waits for none. */
static uint16_t guard_us(const struct actuator *actuator, uint32_t now_us) {
    return drv2605_is_coming_to_rest(actuator)    ? 0
           : drv2605_is_overdue(actuator, now_us) ? BUS_GUARD_OVERDUE_US
                                                  : BUS_GUARD_US;
}

static bool reserve_bus(struct bridge *bridge, uint32_t until_us) {
    bool is_free;
    BRIDGE_ATOMIC_BEGIN
    const struct bridge_write *write = writes_first(&bridge->writes);
    is_free = bridge->bus_owner == BUS_FREE && !bridge->bus_ended &&
              !(write && drv2605_is_ready(&bridge->actuators[write->actuator]) &&
                bridge_is_before(write->due_us, until_us));
    if (is_free) {
        bridge->bus_owner = BUS_DRIVER;
    }
    BRIDGE_ATOMIC_END
    return is_free;
}

/* Returns what was taken: the lowest of the set comes first. */
static uint8_t take_immediate(struct actuator *actuator, struct bridge_transfer *transfer) {
    transfer->is_read = false;
    if (actuator->immediate & IMMEDIATE_GO) {
        transfer->reg = DRV2605_REG_GO;
        transfer->value = 0;
    } else if (actuator->immediate & IMMEDIATE_LEVEL) {
        transfer->reg = DRV2605_REG_RTP_INPUT;
        transfer->value = actuator_value(actuator, actuator->shown);
    } else {
        transfer->reg = DRV2605_REG_MODE;
        transfer->value = DRV2605_MODE_RTP;
    }
    uint8_t left = actuator->immediate & (uint8_t)(actuator->immediate - 1);
    uint8_t taken = actuator->immediate ^ left;
    actuator->immediate = left;
    return taken;
}

static bool wants_bus(const struct actuator *actuator, uint32_t now_us) {
    return (actuator->immediate && drv2605_is_ready(actuator)) ||
           drv2605_wants_transfer(actuator, now_us);
}

static void take_untimed(struct bridge *bridge, struct actuator *actuator) {
    if (actuator->immediate && drv2605_is_ready(actuator)) {
        bridge->bus_immediate = take_immediate(actuator, &bridge->transfer);
        bridge->bus_owner = BUS_IMMEDIATE;
    } else {
        drv2605_next_transfer(actuator, &bridge->transfer);
        bridge->bus_step = actuator->step;
    }
}

bool bridge_take_untimed(struct bridge *bridge, uint32_t now_us) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct actuator *actuator = &bridge->actuators[index];
        if (!wants_bus(actuator, now_us) ||
            !reserve_bus(bridge, now_us + guard_us(actuator, now_us))) {
            continue;
        }
        bridge_settle_writes(bridge);
        take_untimed(bridge, actuator);
        bridge->transfer.actuator = index;
        bridge->bus_actuator = index;
        return true;
    }
    return false;
}

/* ---- Results ----------------------------------------------------------------------------- */

/* A timed write leaves nothing to do but to be noted; the next one must not wait for that. */
void bridge_bus_done(struct bridge *bridge, bool ok, uint8_t value) {
    uint8_t failed = ok ? 0 : BUS_FAILED;
    if (bridge->bus_owner == BUS_DUE) {
        bridge->bus_owner = ok ? BUS_FREE : BUS_DUE | BUS_FAILED;
    } else {
        bridge->bus_value = value;
        bridge->bus_ended = bridge->bus_owner | failed;
        bridge->bus_owner = BUS_FREE;
    }
}

static void count_error(struct bridge *bridge, struct actuator *actuator) {
    bridge->counters.bus_errors++;
    actuator->faults |= BRIDGE_FAULT_BUS;
}

/* What did not arrive goes out again at once, unless it is for nothing by now; three failures in a
   row are a broken bus. */
static bool is_repeated(struct actuator *actuator) {
    if (actuator->state != BRIDGE_ACTUATOR_AWAKE) {
        return false;
    }
    if (++actuator->failures < BUS_FAILURES_MAX) {
        return true;
    }
    drv2605_shut_down(actuator, BRIDGE_FAULT_BUS);
    return false;
}

static void finish_due(struct bridge *bridge, uint32_t now_us) {
    struct bridge_write *write = writes_at(&bridge->writes, UINT8_MAX); /* the one taken last */
    struct actuator *actuator = &bridge->actuators[write->actuator];
    count_error(bridge, actuator);
    actuator->in_effect |= starts_effect(write->reg, write->value);
    if (is_repeated(actuator)) {
        write->due_us = now_us;
        writes_put_back(&bridge->writes);
    } else {
        write->kind = WRITE_VOID;
    }
    bridge->bus_owner = BUS_FREE;
}

static void finish_immediate(struct bridge *bridge, struct actuator *actuator, bool ok) {
    if (ok) {
        actuator->failures = 0;
        actuator->in_effect &= bridge->bus_immediate != IMMEDIATE_MODE;
    } else if (is_repeated(actuator)) {
        actuator->immediate |= bridge->bus_immediate;
    }
}

static void finish_untimed(struct bridge *bridge, uint32_t now_us) {
    struct actuator *actuator = &bridge->actuators[bridge->bus_actuator];
    bool ok = !(bridge->bus_ended & BUS_FAILED);
    bool is_driver = (bridge->bus_ended & BUS_OWNER_MASK) == BUS_DRIVER;
    bridge->bus_ended = BUS_FREE;
    if (!ok && !(is_driver && drv2605_may_be_silent(actuator))) {
        count_error(bridge, actuator);
    }
    if (!is_driver) {
        finish_immediate(bridge, actuator, ok);
    } else if (actuator->step == bridge->bus_step) { /* else it was overtaken, by a stop for one */
        drv2605_done(actuator, ok, bridge->bus_value, now_us);
    }
}

void bridge_finish_transfer(struct bridge *bridge, uint32_t now_us) {
    bridge_settle_writes(bridge);
    if (bridge->bus_owner == (BUS_DUE | BUS_FAILED)) {
        finish_due(bridge, now_us);
    }
    if (bridge->bus_ended) {
        finish_untimed(bridge, now_us);
    }
}

bool bridge_driver_is_on_bus(const struct bridge *bridge, uint8_t actuator) {
    uint8_t owners = bridge->bus_owner | bridge->bus_ended;
    return (owners & BUS_OWNER_MASK) == BUS_DRIVER && bridge->bus_actuator == actuator;
}
