#include "bus_schedule.h"

#include "../support/critical.h"
#include "../support/time.h"

/* The guard times: an untimed transfer starts only if the next timed write is at least this far
   away. The guard time is the duration of the longest transfer plus a margin. An overdue check of a
   chip has a smaller guard, so that dense writes cannot postpone the check indefinitely. A
   multiplexer switch also has a smaller guard, because the switch is short. On a slow bus, each
   guard is four times as long. */
#define GUARD_US 250
#define GUARD_OVERDUE_US 90
#define GUARD_SWITCH_US 90
#define SLOWNESS 4u

/* The guard time of a transfer with the sensor, and the type of guard times. Without a sensor, one
   byte suffices.
 */
#if BRIDGE_SENSOR
#define GUARD_SENSOR_US 650
typedef uint16_t guard_time;
#else
#define GUARD_SENSOR_US 0
typedef uint8_t guard_time;
#endif

/* The time for which an untimed transfer waits for a gap before it becomes urgent: 1.5 ms, in
   counts of bridge_time_counts. */
#define GAP_COUNTS 6

/* ---- Timed writes ------------------------------------------------------------------------ */

struct bridge_write *bus_schedule_first_write(struct bridge *bridge) {
    struct bridge_write *first = 0;
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        struct bridge_write *write = bus_schedule_stream_write(bridge, &bridge->streams[index]);
        if (write && (!first || bridge_is_before(write_start_us(write), write_start_us(first)))) {
            first = write;
        }
    }
    return first;
}

#if BRIDGE_ACTUATOR_COUNT > 1
/* Returns the stream of a write. */
static struct stream *stream_of(struct bridge *bridge, const struct bridge_write *write) {
    return bridge_stream(bridge, write->stream);
}
#endif

/* True if a write has not reached any actuator yet. */
static bool is_fresh(struct bridge *bridge, const struct bridge_write *write) {
#if BRIDGE_ACTUATOR_COUNT > 1
    return !stream_of(bridge, write)->writes.remaining;
#else
    (void)bridge;
    (void)write;
    return true;
#endif
}

void bus_schedule_expedite(struct bridge *bridge, uint32_t now_us) {
    struct bridge_write *write = bus_schedule_first_write(bridge);
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

bool bus_schedule_take_due(struct bridge *bridge, uint32_t now_us) {
    struct bridge_write *write = bus_schedule_first_write(bridge);
    if (!write || bridge->bus_owner != BRIDGE_BUS_FREE ||
        bridge_is_before(now_us, write_start_us(write))) {
        return false;
    }
    bus_schedule_expedite(bridge, now_us);
    bus_schedule_take_write(bridge, write);
    bus_schedule_record_start(bridge, (driven_time)now_us);
    return true;
}

#if BRIDGE_ACTUATOR_COUNT > 1

/* Returns the actuators that the first write of a stream has not reached yet. */
static uint8_t remaining_actuators(const struct stream *stream) {
    uint8_t left = stream->writes.remaining;
    if (left) {
        return left;
    }
    return (uint8_t)(stream->actuators & UINT8_MAX);
}

/* Returns the actuators among `left` that one transfer reaches: the actuator with the lowest
   number, and all actuators that receive the same value. If `show` is not null, it is the array of
   actuators, and the function records that the reached actuators output the level of the write. */
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

#if BRIDGE_HAS_BAND
/* Takes the next part of the frequency of a write: a transfer to the first remaining actuator with
   a band, and to all other actuators that receive the same value. */
static void take_tone(struct bridge *bridge, struct bridge_write_queue *writes,
                      struct bridge_write *write) {
    uint8_t group = 0;
    uint8_t others = 0;
    uint8_t value = 0;
    uint8_t actuators = remaining_actuators(stream_of(bridge, write));
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        const struct configuration *configuration = &bridge->actuators[index].configuration;
        if (!(actuators >> index & 1) || !driver_has_band(configuration)) {
            continue;
        }
        uint8_t tone = driver_tone(configuration, write->tone);
        if (!group || tone == value) {
            value = tone;
            group |= (uint8_t)(1u << index);
        } else {
            others |= (uint8_t)(1u << index);
        }
    }
    writes->remaining = others;
    if (!others) {
        write->kind = write_reason(write->kind);
    }
    bridge->transfer.actuators = group;
    driver_put(&bridge->transfer, DRIVER_TONE_REGISTER, value);
}
#endif

/* Takes the next part of a write. An interrupt calls this function. It therefore avoids shifts by a
   variable number, which an AVR executes as loops. */
bool bus_schedule_take_write(struct bridge *bridge, struct bridge_write *write) {
    struct bridge_write_queue *writes = &stream_of(bridge, write)->writes;
    bridge->bus_owner = BRIDGE_BUS_DUE;
#if BRIDGE_HAS_BAND
    if (write->kind & BRIDGE_WRITE_NEEDS_TONE) {
        take_tone(bridge, writes, write);
        return false;
    }
#endif
    bool is_first = !writes->remaining;
    uint8_t left = remaining_actuators(stream_of(bridge, write));
    uint8_t group = next_group(write, left, bridge->actuators);
    const uint8_t *value = write->values;
    for (uint8_t bits = group; !(bits & 1); bits >>= 1) {
        value++;
    }
    left &= (uint8_t)~group;
    writes->remaining = left;
    if (!left) {
        writes->tail = (uint8_t)(writes->tail + BRIDGE_WRITE_SIZE);
    }
    bridge->transfer.actuators = group;
    driver_put_level(&bridge->transfer, *value);
    return is_first;
}

#endif

/* ---- Untimed transfers ------------------------------------------------------------------- */

/* Returns the guard time before the next timed write. On a board with one actuator, the guard is 0
   for a transfer that brings the actuator to rest; such a transfer may delay a write. With several
   actuators, bus_schedule_assign_turn gives such a transfer precedence over the writes. */
static uint8_t guard_us(const struct bridge *bridge, const struct actuator *actuator,
                        uint32_t now_us) {
    return bridge_actuators(bridge) > 1                              ? GUARD_US
           : driver_is_coming_to_rest(actuator)                      ? 0
           : driver_is_overdue(actuator, bridge_time_counts(now_us)) ? GUARD_OVERDUE_US
                                                                     : GUARD_US;
}

/* Reserves the bus for an untimed transfer if no write is due within `guard_us`; returns true on
   success. Writes are rendered less than 32 ms ahead, so 16 bits are sufficient to compare
   times. */
static bool reserve_bus(struct bridge *bridge, uint32_t now_us, guard_time guard_us) {
    bool is_free;
    uint16_t guard = guard_us;
    if (bridge_bus_is_slow(bridge)) {
        guard = (uint16_t)(guard * SLOWNESS);
    }
    BRIDGE_CRITICAL_ENTER
    const struct bridge_write *write = bus_schedule_first_write(bridge);
    is_free = !(bridge->bus_owner | bridge->bus_ended) &&
              !(write && (int16_t)(write_start_us(write) - now_us) < (int16_t)guard);
    if (is_free) {
        bridge->bus_owner = BRIDGE_BUS_DRIVER;
    }
    BRIDGE_CRITICAL_EXIT
    return is_free;
}

/* True if the level that an actuator outputs must be written again. */
static bool must_rewrite(const struct actuator *actuator) {
    return actuator->needs_rewrite && driver_is_ready(actuator);
}

/* Takes a write that repeats the level that an actuator already outputs, with the current gain. */
static void take_shown(struct bridge *bridge, struct actuator *actuator) {
    actuator->needs_rewrite = false;
    bridge->bus_owner = BRIDGE_BUS_SHOWN;
    driver_put_level(&bridge->transfer, actuator_value(actuator, actuator->shown));
}

#if BRIDGE_ACTUATOR_COUNT > 1
/* Takes a multiplexer switch as the next transfer, if there is enough time before the next write.
   The timer's interrupt may take the write between the calls of bus_schedule_first_write and
   reserve_bus. In that case, the bus is busy, and reserve_bus fails. */
bool bus_schedule_take_switch(struct bridge *bridge, uint8_t selected, uint32_t now_us) {
    const struct bridge_write *write = bus_schedule_first_write(bridge);
    if (!write) {
        return false;
    }
    uint8_t group = next_group(write, remaining_actuators(stream_of(bridge, write)), 0);
    if (group == selected || !reserve_bus(bridge, now_us, GUARD_SWITCH_US)) {
        return false;
    }
    bridge->bus_owner = BRIDGE_BUS_SWITCH;
    bridge->transfer.actuators = group;
    return true;
}

/* True if an untimed transfer is urgent, because it brings an actuator to rest, rewrites a level,
   or has waited too long for a gap. */
static bool has_urgent_transfer(const struct bridge *bridge, uint32_t now_us) {
    uint16_t now = bridge_time_counts(now_us);
    bool has_gaps = (uint8_t)(now - bridge->gap) < GAP_COUNTS;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        const struct actuator *actuator = &bridge->actuators[index];
        if (must_rewrite(actuator) ||
            (driver_is_due(actuator, now) && (!has_gaps || driver_is_urgent(actuator)))) {
            return true;
        }
    }
    return false;
}

/* Makes timed writes wait for an urgent untimed transfer, because writes that consist of several
   parts may leave no gap. As long as the writes leave gaps, the chips are checked one after the
   other in these gaps, and no check is urgent, even if the main loop did not have time for a check.
   After each untimed transfer, timed writes have precedence until the result of that transfer has
   been read. */
void bus_schedule_assign_turn(struct bridge *bridge, uint32_t now_us) {
    bridge->writes_wait = bridge_actuators(bridge) > 1 &&
                          !((bridge->bus_owner | bridge->bus_ended) & BRIDGE_BUS_SHOWN) &&
                          has_urgent_transfer(bridge, now_us);
}
#endif

/* True if there is no other chip that is enabled but has not been reset yet. An enabled chip drives
   its previous level until it is reset; if the bus is defective, at most one chip may be in this
   state. */
static bool may_enable(const struct bridge *bridge) {
    for (uint8_t index = 0; BRIDGE_ACTUATOR_COUNT > 1 && index < bridge_actuators(bridge);
         index++) {
        if (driver_is_unquieted(&bridge->actuators[index])) {
            return false;
        }
    }
    return true;
}

/* Returns true if the driver of an actuator has a transfer to make now. If EN is low, the function
   raises EN first, unless the actuator is over its budget: if a chip cannot be reset, a host could
   otherwise heat its actuator by raising EN repeatedly. */
static bool prepare_transfer(const struct bridge *bridge, struct actuator *actuator,
                             uint32_t now_us) {
    bool may = actuator->is_enabled || (!actuator->is_over_budget && may_enable(bridge));
    bool has_transfer = driver_prepare_transfer(actuator, bridge_time_counts(now_us), may);
    bus_schedule_record_set_up(actuator, now_us);
    return has_transfer;
}

/* Returns the actuator to serve first: an actuator that must be brought to rest, or otherwise the
   actuator that follows the actuator served last, so that every actuator has its turn even if the
   port polls rarely. */
static uint8_t first_asked(const struct bridge *bridge) {
    uint8_t count = bridge_actuators(bridge);
    for (uint8_t index = 0; BRIDGE_ACTUATOR_COUNT > 1 && index < count; index++) {
        if (driver_is_urgent(&bridge->actuators[index])) {
            return index;
        }
    }
    uint8_t next = (uint8_t)(bridge->bus_actuator + 1);
    return next < count ? next : 0;
}

/* True if the sensor has a transfer to make. */
static bool is_sensor_due(struct bridge *bridge, uint32_t now_us) {
#if BRIDGE_SENSOR
    return bridge->actuators[0].state != BRIDGE_ACTUATOR_STARTING && !bridge->bus_ended &&
           sensor_is_due(&bridge->sensor, bridge_time_counts(now_us));
#else
    (void)bridge;
    (void)now_us;
    return false;
#endif
}

static void take_sensor(struct bridge *bridge, uint32_t now_us) {
#if BRIDGE_SENSOR
    bridge->bus_owner = BRIDGE_BUS_SENSOR;
    sensor_next_transfer(&bridge->sensor, &bridge->transfer, now_us);
#else
    (void)bridge;
    (void)now_us;
#endif
}

/* Records that no untimed transfer is waiting for a gap at the given time. */
static void record_gap(struct bridge *bridge, uint32_t now_us) {
#if BRIDGE_ACTUATOR_COUNT > 1
    bridge->gap = (uint8_t)bridge_time_counts(now_us);
#else
    (void)bridge;
    (void)now_us;
#endif
}

/* Takes an untimed transfer of a driver, or of the sensor if no driver has a transfer to make;
   returns true on success. The search ends at the first transfer that finds no gap between the
   writes, because the guard time is the same for all actuators. While the result of the previous
   transfer is unread, the function does not select a transfer, and records that no transfer is
   waiting for a gap. */
static bool take_untimed(struct bridge *bridge, uint32_t now_us) {
    uint8_t count = bridge_actuators(bridge);
    uint8_t left = BRIDGE_ACTUATOR_COUNT > 1 && bridge->bus_ended ? 0 : count;
    uint8_t index = first_asked(bridge);
    struct actuator *actuator = bridge->actuators;
    bool rewrites = false;
    for (; left; left--, index = (uint8_t)(index + 1 < count ? index + 1 : 0)) {
        actuator = &bridge->actuators[index];
        /* A check of the chip takes precedence over rewriting a level, so that repeated rewriting
           does not postpone the check. */
        rewrites =
            must_rewrite(actuator) && !driver_is_overdue(actuator, bridge_time_counts(now_us));
        if (rewrites || prepare_transfer(bridge, actuator, now_us)) {
            break;
        }
    }
    if (!left && !is_sensor_due(bridge, now_us)) {
        record_gap(bridge, now_us);
        return false;
    }
    guard_time guard = left ? guard_us(bridge, actuator, now_us) : GUARD_SENSOR_US;
    if (!reserve_bus(bridge, now_us, guard)) {
        return false;
    }
    record_gap(bridge, now_us);
    if (!left) {
        take_sensor(bridge, now_us);
        return true;
    }
    if (rewrites) {
        take_shown(bridge, actuator);
    } else {
        bridge->bus_step = actuator->step;
        driver_next_transfer(actuator, &bridge->transfer);
    }
    if (BRIDGE_ACTUATOR_COUNT > 1) {
        bridge->transfer.actuators = (uint8_t)(1u << index);
    }
    bus_schedule_record_untimed(bridge, actuator, now_us);
    bridge->bus_actuator = index;
    return true;
}

bool bus_schedule_take_untimed(struct bridge *bridge, uint32_t now_us) {
    bool has_taken = take_untimed(bridge, now_us);
#if BRIDGE_ACTUATOR_COUNT > 1
    bridge->writes_wait = false;
#endif
    return has_taken;
}
