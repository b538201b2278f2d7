/* The functions that a port calls in each round: bridge_receive and bridge_poll. bridge_poll serves
   the streams, the answers and all other work in turn, collects faults, and enforces the dead-man
   stop (SPEC 9). */
#include "bridge.h"
#include "link/actuator_commands.h"
#include "link/commands.h"
#include "link/stream_commands.h"
#include "support/time.h"

/* The core sends an unsolicited ACK whenever another quarter (1 / CREDIT_STEPS) of the event memory
   has become free. */
#define CREDIT_STEPS 4

/* The maximum number of consecutive rendering steps; these steps suffice for three events.
   Afterwards, or sooner if the streams have nothing to do, all other work has its turn. */
#define RENDERS_PER_TURN 9
#define STREAMS_REST 0x40
#define ANSWERS_TURN 0x80

/* ---- Receiving ------------------------------------------------------------------------- */

BRIDGE_NOINLINE static void count(uint16_t *counter) { ++*counter; }

static void count_damage(struct bridge *bridge) {
    count(&bridge->counters.damaged_frames);
    if (!bridge->has_session) {
        answers_want(&bridge->answers, ANSWER_NO_SESSION);
        return;
    }
    bridge->answers.ack_flags |= BRIDGE_ACK_FLAG_RESEND;
    answers_want(&bridge->answers, ANSWER_ACK);
}

/* Handles the end of a frame. This code is a separate function, so that bridge_receive need not
   save registers when it receives a byte inside a frame. */
static void end_frame(struct bridge *bridge, enum frame_result result, uint32_t stamp_us) {
    if (result == FRAME_COMPLETE) {
        commands_dispatch(bridge, stamp_us);
    } else {
        count_damage(bridge);
    }
}

void bridge_receive(struct bridge *bridge, uint8_t byte, uint32_t stamp_us) {
    if (bridge->configuration_pending) {
        commands_configure(bridge);
    }
    enum frame_result result = frame_receive(&bridge->receiver, byte);
    if (result != FRAME_INCOMPLETE) {
        end_frame(bridge, result, stamp_us);
    }
}

/* ---- Faults ---------------------------------------------------------------------------- */

static void latch(struct bridge *bridge, uint16_t faults) {
    bridge->faults |= faults;
    bridge->fault_total++;
    answers_want(&bridge->answers, ANSWER_STATUS);
}

void bridge_storage_failed(struct bridge *bridge) { latch(bridge, BRIDGE_FAULT_STORAGE); }

void bridge_wires_are_swapped(struct bridge *bridge) { latch(bridge, BRIDGE_FAULT_SWAPPED_WIRES); }

/* Stops the streams after an actuator has come to rest on its own. With several actuators, all
   streams are stopped and all actuators come to rest, because a pattern must not continue on only
   some of its actuators. */
static void stop_with(struct bridge *bridge, uint8_t index) {
    if (BRIDGE_ACTUATOR_COUNT > 1) {
        commands_rest_all(bridge);
    } else {
        commands_close_streams(bridge, (uint16_t)(1u << index));
    }
}

static void collect_actuator(struct bridge *bridge, uint8_t index) {
    struct actuator *actuator = &bridge->actuators[index];
    uint8_t faults = actuator->faults;
    if (faults) {
        actuator->faults = 0;
        if (faults & ACTUATOR_FAULT(BRIDGE_FAULT_CHIP_RESET)) {
            count(&bridge->counters.chip_resets);
        }
        latch(bridge, (uint16_t)(faults << ACTUATOR_FAULT_SHIFT));
    }
    if (actuator->has_stopped) {
        actuator->has_stopped = false;
        stop_with(bridge, index);
    } else if (BRIDGE_ACTUATOR_COUNT > 1 && actuator->state == BRIDGE_ACTUATOR_FAULT) {
        commands_close_streams(bridge, (uint16_t)(1u << index)); /* the set-up has failed */
    }
}

/* Permits the actuators of a stream that has ended to come to rest, unless a pending REVISE will
   continue the stream. */
static void release_ended(struct bridge *bridge, const struct stream *stream) {
    if (stream->state != BRIDGE_STREAM_ENDED || stream->memory.is_split) {
        return;
    }
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (actuator_is_in(stream->actuators, index)) {
            bridge->actuators[index].wake_requested = false;
        }
    }
}

static void collect_stream(struct bridge *bridge, uint8_t index) {
    struct stream *stream = &bridge->streams[index];
    uint8_t notices = stream->notices;
    if (!notices) {
        return;
    }
    stream->notices = 0;
    if (notices & STREAM_CHANGED) {
        release_ended(bridge, stream);
        answers_want_stream(&bridge->answers, index);
    }
    if (notices & STREAM_TAP_SKIPPED) {
        count(&bridge->counters.skipped_taps);
    }
    if (notices & STREAM_LEVEL_LATE) {
        count(&bridge->counters.late_events);
    }
    if (notices & STREAM_UNDERRUN) {
        count(&bridge->counters.underruns);
    }
    uint16_t faults = stream_faults(notices);
    if (faults) {
        latch(bridge, faults);
    }
}

/* ---- Work ------------------------------------------------------------------------------ */

/* Grants credit in quarters of the memory, because a host would respond to smaller credits with
   small frames. */
static void announce_credit(struct bridge *bridge, struct stream *stream) {
    uint16_t freed = (uint16_t)(stream->memory.limit - stream->limit_sent);
    if (freed && freed >= stream->memory.capacity / CREDIT_STEPS) {
        stream->limit_sent = stream->memory.limit;
        answers_want(&bridge->answers, ANSWER_ACK);
    }
}

/* Closes a stream that has been dry for too long. If the stream stayed open until the clock had
   wrapped, the times of the stream would appear to be in the future. */
static void poll_age(struct bridge *bridge, const struct stream *stream, uint32_t now_us) {
    if (stream_is_given_up(stream, now_us)) {
        commands_close_streams(bridge, stream->actuators);
    }
}

static bool poll_stream(struct bridge *bridge, uint8_t index, uint32_t now_us) {
    bool did = stream_render(&bridge->streams[index], bridge->actuators, now_us);
    collect_stream(bridge, index);
    return did;
}

/* The maximum number of counts by which a driver's transfer may be overdue. Because times are
   compared modulo 16 s, a transfer that has waited for a gap for more than 8 s would appear to be
   due in the future. */
#define DUE_AGE_MAX 0x4000

static void poll_actuator(struct bridge *bridge, uint8_t index, uint32_t now_us) {
    struct actuator *actuator = &bridge->actuators[index];
    uint8_t state = actuator->state;
    uint16_t now = bridge_time_counts(now_us);
    if ((int16_t)(now - actuator->due) > DUE_AGE_MAX) {
        actuator->due = (uint16_t)(now - DUE_AGE_MAX);
    }
    if (!actuator->wake_requested) {
        if (state == BRIDGE_ACTUATOR_AWAKE) {
            driver_rest(actuator, now);
        }
    } else if (state == BRIDGE_ACTUATOR_AT_REST ||
               (driver_is_braking(actuator) && !bus_schedule_has_driver(bridge, index))) {
        driver_wake(actuator, now);
    }
    if (!driver_has_failed_to_start(actuator)) {
        collect_actuator(bridge, index);
    }
    if (actuator->state != state) {
        answers_want(&bridge->answers, ANSWER_STATUS);
    }
}

/* Sets up the chips again, at the clock of the next attempt (enum bridge_bus_trial). The EN pin of
   a chip that the core gave up earlier stays low. */
static void try_next_clock(struct bridge *bridge, uint16_t now) {
    bridge->bus_trial++;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        struct actuator *actuator = &bridge->actuators[index];
        if (actuator->state != BRIDGE_ACTUATOR_FAULT) {
            actuator->faults = 0;
            driver_start(actuator, now);
        }
    }
    answers_want(&bridge->answers, ANSWER_STATUS);
}

/* Selects the clock of the bus, and gives up chips that have failed to start. A bus with weak
   pull-up resistors may work at 100 kHz although it fails at 400 kHz. If another chip is ready at
   the current clock, or if the attempt at 100 kHz has also failed, the core gives up every chip
   that has failed to start. */
static void poll_set_up(struct bridge *bridge, uint32_t now_us) {
    bool starts = false;
    bool is_ready = false;
    bool has_failed = false;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        const struct actuator *actuator = &bridge->actuators[index];
        bool fails_to_start = driver_has_failed_to_start(actuator);
        has_failed |= fails_to_start;
        bool waits = BRIDGE_ACTUATOR_COUNT > 1 && actuator_must_cool(actuator);
        starts |= actuator->state == BRIDGE_ACTUATOR_STARTING && !fails_to_start && !waits;
        is_ready |=
            actuator->state != BRIDGE_ACTUATOR_STARTING && actuator->state != BRIDGE_ACTUATOR_FAULT;
    }
    uint8_t trial = bridge->bus_trial;
    bool fails = has_failed && !starts && !is_ready;
    if (is_ready ? trial == BRIDGE_BUS_TRIED_SLOW : fails && !bridge_bus_is_slow(bridge)) {
        try_next_clock(bridge, bridge_time_counts(now_us));
        return;
    }
    if (fails || (is_ready && trial == BRIDGE_BUS_FAST_AGAIN)) {
        bridge->bus_trial = BRIDGE_BUS_FAST;
    }
    for (uint8_t index = 0; (fails || is_ready) && index < bridge_actuators(bridge); index++) {
        if (driver_has_failed_to_start(&bridge->actuators[index])) {
            driver_give_up(&bridge->actuators[index]);
            answers_want(&bridge->answers, ANSWER_STATUS);
        }
    }
}

static bool is_running(const struct bridge *bridge) {
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        const struct actuator *actuator = &bridge->actuators[index];
        if (actuator->wake_requested || driver_is_running(actuator)) {
            return true;
        }
    }
    return false;
}

/* Stops all actuators if no valid frame has arrived for BRIDGE_DEAD_MAN_US. BRIDGE_STAMP_AHEAD_US
   is added on both sides of the comparison: a stamp may be later than `now_us` by that time, and
   the negative difference must not be mistaken for a long silence. */
static void poll_dead_man(struct bridge *bridge, uint32_t now_us) {
    uint32_t silence_us = now_us - bridge->last_valid_frame_us;
    if (!is_running(bridge) ||
        silence_us + BRIDGE_STAMP_AHEAD_US < BRIDGE_DEAD_MAN_US + BRIDGE_STAMP_AHEAD_US) {
        return;
    }
    bridge->last_valid_frame_us = now_us;
    count(&bridge->counters.dead_man_trips);
    latch(bridge, BRIDGE_FAULT_DEAD_MAN);
    commands_rest_all(bridge);
}

/* Moves the lateness of writes to the counters. An interrupt may record lateness at any time. */
static void collect_lateness(struct bridge *bridge) {
    if (!bridge->late_us && !bridge->late_writes) {
        return;
    }
    uint16_t late_us;
    uint8_t late_writes;
    BRIDGE_CRITICAL_ENTER
    late_us = bridge->late_us;
    bridge->late_us = 0;
    late_writes = bridge->late_writes;
    bridge->late_writes = 0;
    BRIDGE_CRITICAL_EXIT
    if (late_us > bridge->counters.latest_us) {
        bridge->counters.latest_us = late_us;
    }
    if (late_writes) {
        bridge->counters.late_events += late_writes;
        latch(bridge, BRIDGE_FAULT_LATE);
    }
}

static bool poll_streams(struct bridge *bridge, uint32_t now_us) {
    bool did = false;
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        did |= poll_stream(bridge, index, now_us);
    }
    return did;
}

/* While a request for the boot loader is pending, closes the streams that a host opens, and brings
   all actuators to rest. */
static void poll_bootloader(struct bridge *bridge) {
    if (!(BRIDGE_FEATURES & BRIDGE_FEATURE_BOOTLOADER) || !bridge->wants_bootloader) {
        return;
    }
    commands_close_streams(bridge, UINT16_MAX);
    if (is_running(bridge)) {
        commands_rest_all(bridge);
    }
}

#if BRIDGE_SENSOR
/* Starts a recording that waits for a stream, and reports changes and samples to the host. */
static void poll_sensor(struct bridge *bridge) {
    struct sensor *sensor = &bridge->sensor;
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        if (bridge->streams[index].state == BRIDGE_STREAM_PLAYING &&
            sensor->recording == BRIDGE_RECORDING_ARMED) {
            sensor->recording = BRIDGE_RECORDING_RUNNING;
        }
    }
    if (sensor->recording != sensor->reported) {
        sensor->reported = sensor->recording;
        answers_want(&bridge->answers, ANSWER_SENSOR);
    }
    if (sensor_has_message(sensor)) {
        answers_want(&bridge->answers, ANSWER_SAMPLES);
    }
}
#else
static void poll_sensor(struct bridge *bridge) { (void)bridge; }
#endif

static void poll_all_else(struct bridge *bridge, uint32_t now_us) {
    poll_bootloader(bridge);
    bus_schedule_assign_turn(bridge, now_us);
    bus_schedule_finish_transfer(bridge, now_us);
    poll_sensor(bridge);
    poll_set_up(bridge, now_us);
    collect_lateness(bridge);
    poll_dead_man(bridge, now_us);
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        struct actuator *actuator = bridge_actuator(bridge, index);
        if (actuator_update_thermal_budget(actuator, now_us)) {
            driver_cancel_calibration(actuator, bridge_time_counts(now_us));
            commands_rewrite_levels(bridge, (uint16_t)(1u << index));
            if (driver_may_drive(actuator)) { /* during set-up the heat is only an estimate */
                latch(bridge, BRIDGE_FAULT_BUDGET);
            }
        }
        poll_actuator(bridge, index, now_us);
    }
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        announce_credit(bridge, &bridge->streams[index]);
        poll_age(bridge, &bridge->streams[index], now_us);
    }
}

/* Serves the streams, the answers and all other work in turn, because each of the three can take
   most of the time that a step may take. */
bool bridge_poll(struct bridge *bridge, uint32_t now_us) {
    if (bridge->configuration_pending) {
        commands_configure(bridge);
        return true;
    }
    uint8_t renders = bridge->renders;
    if (renders < RENDERS_PER_TURN) {
        bridge->renders = poll_streams(bridge, now_us) ? (uint8_t)(renders + 1) : STREAMS_REST;
        return true;
    }
    if (!(renders & ANSWERS_TURN)) {
        poll_all_else(bridge, now_us);
        bridge->renders = renders | ANSWERS_TURN;
        return true;
    }
    bridge->renders = 0;
    return answers_poll(bridge, now_us) || renders != (STREAMS_REST | ANSWERS_TURN);
}

bool bridge_rest_is_urgent(const struct bridge *bridge) {
    if (!(bridge->renders & ANSWERS_TURN)) {
        return false;
    }
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (driver_is_urgent(&bridge->actuators[index])) {
            return true;
        }
    }
    return false;
}
