/* Whose transfer is next on the bus, and what its result means. */
#include "bridge.h"

#include "bridge_time.h"
#include "drv2605.h"

#define BUS_GUARD_US 250u /* the longest transfer that is not due, and some margin */
#define BUS_FAILURES_MAX 3

static bool starts_effect(uint8_t reg, uint8_t value) {
    return (reg == DRV2605_REG_GO && (value & DRV2605_GO)) ||
           (reg == DRV2605_REG_MODE && (value & DRV2605_MODE_MASK) != DRV2605_MODE_RTP);
}

/* A write for an actuator that will not come, or a ROM effect for one that is muted. */
static bool is_dead(const struct bridge *bridge, const struct bridge_write *write) {
    const struct actuator *actuator = &bridge->actuators[write->actuator];
    return !actuator->is_wanted || (actuator->is_muted && starts_effect(write->reg, write->value));
}

/* Dead writes are not kept in the way of others. */
static void drop_dead_writes(struct bridge *bridge) {
    struct bridge_write *write;
    while ((write = writes_first(&bridge->writes)) && is_dead(bridge, write)) {
        writes_pop(&bridge->writes);
    }
}

static void count_lateness(struct bridge *bridge, uint32_t late_us) {
    if (late_us > bridge->counters.latest_us) {
        bridge->counters.latest_us = late_us;
    }
    if (late_us > BRIDGE_LATE_US) {
        bridge->counters.late_events++;
    }
}

/* In doubt the chip plays an effect: from the attempt to start one until levels hold again. */
static void note_start(struct actuator *actuator, const struct bridge_transfer *transfer) {
    actuator->in_effect |= starts_effect(transfer->reg, transfer->value);
}

static void note_end(struct actuator *actuator, const struct bridge_transfer *transfer) {
    if (transfer->reg == DRV2605_REG_MODE && !starts_effect(transfer->reg, transfer->value)) {
        actuator->in_effect = false;
    }
}

static bool take_due(struct bridge *bridge, uint32_t now_us, struct bridge_transfer *transfer) {
    drop_dead_writes(bridge);
    struct bridge_write *write = writes_first(&bridge->writes);
    if (!write || !bridge_is_due(write->due_us, now_us) ||
        !drv2605_is_ready(&bridge->actuators[write->actuator])) {
        return false;
    }
    struct actuator *actuator = &bridge->actuators[write->actuator];
    *transfer = (struct bridge_transfer){
        .actuator = write->actuator, .reg = write->reg, .value = write->value};
    if (write->kind != WRITE_REGISTER) {
        actuator->shown = write->level;
        actuator->immediate &= (uint8_t)~IMMEDIATE_LEVEL;
    }
    note_start(actuator, transfer);
    count_lateness(bridge, now_us - write->due_us);
    writes_pop(&bridge->writes);
    return true;
}

static bool take_immediate(struct actuator *actuator, struct bridge_transfer *transfer) {
    if (!actuator->immediate || !drv2605_is_ready(actuator)) {
        return false;
    }
    if (actuator->immediate & IMMEDIATE_GO) {
        actuator->immediate &= (uint8_t)~IMMEDIATE_GO;
        *transfer = (struct bridge_transfer){.reg = DRV2605_REG_GO, .value = 0};
    } else if (actuator->immediate & IMMEDIATE_LEVEL) {
        actuator->immediate &= (uint8_t)~IMMEDIATE_LEVEL;
        *transfer = (struct bridge_transfer){.reg = DRV2605_REG_RTP_INPUT,
                                             .value = actuator_value(actuator, actuator->shown)};
    } else {
        actuator->immediate = 0;
        *transfer = (struct bridge_transfer){.reg = DRV2605_REG_MODE, .value = DRV2605_MODE_RTP};
    }
    return true;
}

/* What was not acknowledged goes out again before anything that follows it. */
static bool take_repeat(struct bridge *bridge, struct bridge_transfer *transfer) {
    const struct actuator *actuator = &bridge->actuators[bridge->transfer.actuator];
    bool repeats = bridge->must_repeat && drv2605_is_ready(actuator);
    bridge->must_repeat = false;
    if (!repeats) {
        return false;
    }
    *transfer = bridge->transfer;
    if (transfer->reg == DRV2605_REG_RTP_INPUT) {
        transfer->value = actuator_value(actuator, actuator->shown);
    }
    bridge->bus_owner = BUS_IMMEDIATE;
    return true;
}

/* However dense the writes, the chip is looked after. */
static bool is_overdue(const struct bridge *bridge, uint32_t now_us) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (drv2605_is_overdue(&bridge->actuators[index], now_us)) {
            return true;
        }
    }
    return false;
}

static bool bus_is_needed_soon(struct bridge *bridge, uint32_t now_us) {
    const struct bridge_write *write = writes_first(&bridge->writes);
    return write && drv2605_is_ready(&bridge->actuators[write->actuator]) &&
           bridge_is_before(write->due_us, now_us + BUS_GUARD_US);
}

/* The transfer of one actuator that is not timed; those that make it safe wait for nothing. */
static bool take_untimed(struct bridge *bridge, uint8_t index, uint32_t now_us, bool only_rest,
                         struct bridge_transfer *transfer) {
    struct actuator *actuator = &bridge->actuators[index];
    if (drv2605_is_coming_to_rest(actuator) != only_rest) {
        return false;
    }
    if (!only_rest && take_immediate(actuator, transfer)) {
        bridge->bus_owner = BUS_IMMEDIATE;
    } else if (drv2605_next_transfer(actuator, now_us, transfer)) {
        bridge->bus_owner = BUS_DRIVER;
    } else {
        return false;
    }
    transfer->actuator = index;
    return true;
}

static bool take_any_untimed(struct bridge *bridge, uint32_t now_us, bool only_rest,
                             struct bridge_transfer *transfer) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        if (take_untimed(bridge, index, now_us, only_rest, transfer)) {
            return true;
        }
    }
    return false;
}

bool bridge_take_transfer(struct bridge *bridge, uint32_t now_us,
                          struct bridge_transfer *transfer) {
    if (bridge->bus_owner != BUS_FREE) {
        return false;
    }
    bool overdue = is_overdue(bridge, now_us);
    bool taken = take_repeat(bridge, transfer) || take_any_untimed(bridge, now_us, true, transfer);
    if (!taken && !overdue && take_due(bridge, now_us, transfer)) {
        bridge->bus_owner = BUS_DUE;
        taken = true;
    }
    if (!taken && (overdue || !bus_is_needed_soon(bridge, now_us))) {
        taken = take_any_untimed(bridge, now_us, false, transfer);
    }
    if (taken) {
        bridge->transfer = *transfer;
        bridge->bus_step = bridge->actuators[transfer->actuator].step;
    }
    return taken;
}

/* A write that did not arrive is repeated at once; three in a row are a broken bus. */
static void note_failed_write(struct bridge *bridge, struct actuator *actuator) {
    if (++actuator->failures < BUS_FAILURES_MAX) {
        bridge->must_repeat = true;
    } else {
        drv2605_shut_down(actuator, BRIDGE_FAULT_BUS);
    }
}

void bridge_bus_done(struct bridge *bridge, bool ok, uint8_t value, uint32_t now_us) {
    struct actuator *actuator = &bridge->actuators[bridge->transfer.actuator];
    uint8_t owner = bridge->bus_owner;
    bridge->bus_owner = BUS_FREE;
    bool may_be_silent = owner == BUS_DRIVER && drv2605_may_be_silent(actuator);
    if (!ok && !may_be_silent) {
        bridge->counters.bus_errors++;
        actuator->faults |= BRIDGE_FAULT_BUS;
    }
    if (owner == BUS_DRIVER) {
        if (actuator->step == bridge->bus_step) { /* else it was overtaken, by a stop for one */
            drv2605_done(actuator, ok, value, now_us);
        }
    } else if (ok) {
        actuator->failures = 0;
        note_end(actuator, &bridge->transfer);
    } else if (owner != BUS_FREE && actuator->state == BRIDGE_ACTUATOR_AWAKE) {
        note_failed_write(bridge, actuator);
    }
}

bool bridge_next_due(struct bridge *bridge, uint32_t *due_us) {
    const struct bridge_write *write = writes_first(&bridge->writes);
    if (write) {
        *due_us = write->due_us;
    }
    return write;
}
