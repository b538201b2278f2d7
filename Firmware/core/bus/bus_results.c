/* Handles the results of transfers: repeats failed writes, and passes results to the driver of the
   actuator. */
#include "bus_schedule.h"

#include "../support/time.h"

/* The number of consecutive failed writes of an actuator after which its bus is considered
   defective. */
#define FAILURES_MAX 3

/* ---- Results ----------------------------------------------------------------------------- */

/* The heat that is added for a failed write: the heat of 3 ms at full level. The transfer
   takes up to 2 ms, and is repeated within 1 ms; meanwhile, the chip drives its previous level,
   which may be full level. */
#define HEAT_OF_FAILURE (3ul << 16)

BRIDGE_NOINLINE static void count_error(struct bridge *bridge, struct actuator *actuator) {
    bridge->counters.bus_errors++;
    actuator_warm(actuator, HEAT_OF_FAILURE);
    actuator->faults |= ACTUATOR_FAULT(BRIDGE_FAULT_BUS);
}

/* Records a failed write to an actuator. Returns true if the write must be repeated, and false if
   the actuator no longer plays, or if several consecutive failures have disabled the chip. */
static bool record_failure(struct bridge *bridge, struct actuator *actuator) {
    count_error(bridge, actuator);
    actuator->driven = UINT8_MAX; /* the previous level is no longer known */
    if (actuator->state != BRIDGE_ACTUATOR_AWAKE || !actuator->wake_requested) {
        return false;
    }
#if BRIDGE_ACTUATOR_COUNT > 1
    bridge->has_failures = true;
#endif
    if (++actuator->failures < FAILURES_MAX) {
        return true;
    }
    driver_shut_down(actuator, ACTUATOR_FAULT(BRIDGE_FAULT_BUS));
    return false;
}

/* Makes a stream write its next level together with the frequency. A failed write of a frequency is
   not repeated: the level is written with the previous frequency in effect, and the frequency is
   written again with the next level. */
static void show_again(struct stream *stream) { stream->pending |= STREAM_MUST_SHOW; }

#if BRIDGE_ACTUATOR_COUNT > 1

/* Queues the failed write again for the actuators that must receive it again. The queue of the
   stream still contains the entry that was taken last. */
static void fail_due(struct bridge *bridge, uint32_t now_us) {
    uint8_t failed = bridge->transfer.actuators;
    uint8_t again = 0;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        uint8_t bit = (uint8_t)(1u << index);
        if ((failed & bit) && record_failure(bridge, &bridge->actuators[index])) {
            again |= bit;
        }
    }
    for (uint8_t index = 0; again && index < bridge_streams(bridge); index++) {
        struct stream *stream = &bridge->streams[index];
        if (!(stream->actuators & again)) {
            continue;
        }
        if (driver_sets_tone(&bridge->transfer)) {
            show_again(stream);
        } else {
            if (!stream->writes.remaining) {
                write_queue_requeue(&stream->writes, now_us);
            }
            stream->writes.remaining |= again;
        }
    }
    bridge->bus_owner = BRIDGE_BUS_FREE;
}

#else

static void fail_due(struct bridge *bridge, uint32_t now_us) {
    bool again = record_failure(bridge, &bridge->actuators[0]);
    if (driver_sets_tone(&bridge->transfer)) {
        show_again(&bridge->streams[0]);
    } else if (again) {
        write_queue_requeue(&bridge->streams[0].writes, now_us);
    }
    bridge->bus_owner = BRIDGE_BUS_FREE;
}

#endif

static void finish_shown(struct bridge *bridge, struct actuator *actuator, bool ok) {
    if (ok) {
        actuator->failures = 0;
        return;
    }
    if (record_failure(bridge, actuator)) {
        actuator->needs_rewrite = true;
    }
}

static void finish_driver(struct bridge *bridge, struct actuator *actuator, bool ok,
                          uint32_t now_us) {
    if (!ok && !driver_may_be_silent(actuator)) {
        if (actuator->state == BRIDGE_ACTUATOR_STARTING) {
            bridge->counters.bus_errors++; /* during set-up, only the last failure is a fault */
        } else {
            count_error(bridge, actuator);
        }
    }
    if (actuator->step == bridge->bus_step) {
        driver_done(actuator, ok, bridge->bus_value, bridge_time_counts(now_us));
        bus_schedule_record_set_up(actuator, now_us);
    } else if (ok) { /* in the meantime, the driver has begun a different step, for example to stop
                      */
        driver_record_protection(actuator, bridge->bus_step, bridge->bus_value);
    }
}

void bus_schedule_finish_transfer(struct bridge *bridge, uint32_t now_us) {
    if (bridge->bus_owner == (BRIDGE_BUS_DUE | BRIDGE_BUS_FAILED)) {
        fail_due(bridge, now_us);
    }
    uint8_t ended = bridge->bus_ended;
    if (!ended) {
        return;
    }
    struct actuator *actuator = bridge_actuator(bridge, bridge->bus_actuator);
    bool ok = !(ended & BRIDGE_BUS_FAILED);
    bridge->bus_ended = BRIDGE_BUS_FREE;
#if BRIDGE_SENSOR
    if (ended & BRIDGE_BUS_SENSOR) {
        sensor_done(&bridge->sensor, ok, bridge->bus_value, bridge_time_counts(now_us));
        if (bridge->sensor.kind) {
            bridge->board.features |= BRIDGE_FEATURE_SENSOR;
        }
        return;
    }
#endif
    if ((ended & BRIDGE_BUS_OWNER_MASK) == BRIDGE_BUS_DRIVER) {
        finish_driver(bridge, actuator, ok, now_us);
    } else {
        finish_shown(bridge, actuator, ok);
    }
}

bool bus_schedule_has_driver(const struct bridge *bridge, uint8_t actuator) {
    uint8_t owners = bridge->bus_owner | bridge->bus_ended;
    return (owners & BRIDGE_BUS_OWNER_MASK) == BRIDGE_BUS_DRIVER &&
           (BRIDGE_ACTUATOR_COUNT == 1 || bridge->bus_actuator == actuator);
}
