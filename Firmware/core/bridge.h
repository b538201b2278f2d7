/*
 * Haptic Bridge firmware core: a device's whole protocol, player and driver, without I/O.
 *
 * A port feeds it bytes, time and bus results, and takes from it transfers, bytes and the EN pins.
 * It reads no clock, allocates nothing and keeps no globals: make as many contexts as you like.
 *
 *     bridge_init(&bridge);                      // at reset; EN pins are low
 *     bridge.board.firmware = ...;               // and what else it is told there
 *     bridge_load_lock(&bridge, 0, &lock);       // from non-volatile memory, if it is there
 *     bridge_load(&bridge, 0, &configuration);   // likewise, after the lock
 *     bridge_load_heat(&bridge, 0, heat);        // from memory that only a loss of power clears
 *     for (;;) {
 *         while (byte received)  bridge_receive(&bridge, byte, its_stamp_us);
 *         bridge_poll(&bridge, now_us);          // one step, however much there is to do
 *         set_enable_pins(bridge_enabled(&bridge));
 *         if (bridge_take_due(&bridge, now_us) || bridge_take_untimed(&bridge, now_us))
 *             start(bridge.transfer);            // which ends in bridge_bus_done
 *         keep(bridge_heat(&bridge, 0));         // every few milliseconds
 *     }
 *
 * TIME. Times are microseconds modulo 2^32, beginning at BRIDGE_CLOCK_AT_BOOT, and never go back.
 * The stamp of a byte is the time at which its stop bit ended, or as near to that as the port can
 * tell. A port reads its clock after it has taken the bytes of a round, so that no stamp is later
 * than `now_us`; one that can not may have stamps that are later by BRIDGE_STAMP_AHEAD_US at most.
 *
 * POLLING. bridge_poll is called until it returns false, or as often as a round allows, at least
 * each millisecond. Everything else is late by what a port takes longer: answers, the dead-man,
 * STOP, each of the driver's transfers, which follow one another a round apart. Levels are rendered
 * BRIDGE_HORIZON_US ahead: a port that comes round less often than each 10 ms writes levels late,
 * and is told so in STATUS. The budget is counted however seldom it is looked at, up to 16 s, but
 * held only when it is. A round takes 50 ms at most.
 *
 * TIMED WRITES. A port with a timer interrupt starts due writes there: bridge_next_write says which
 * is next and when it is due, bridge_take_write takes it once it is, bridge_note_lateness tells by
 * how much it came late. If the timer can not tell times that lie far back, bridge_hasten makes
 * what is overdue due now. A port without one calls bridge_take_due in its loop. For several
 * actuators behind a multiplexer, bridge_begun_write is what goes on at once when a transfer has
 * ended, and bridge_take_switch leads the bus ahead of time to where the next write goes:
 *
 *     timer:  write = bridge_next_write(&bridge);
 *             if (write is due && the bus is free)
 *                 bridge_take_write(&bridge, write), start(bridge.transfer);
 *     bus:    bridge_bus_done(&bridge, ok, value);
 *             if (ok && (write = bridge_begun_write(&bridge)))
 *                 bridge_take_write(&bridge, write), start(bridge.transfer);
 *     loop:   if (bridge_take_untimed(&bridge, now_us) ||
 *                 bridge_take_switch(&bridge, channels, now_us))
 *                 start(bridge.transfer);
 *
 * The bus carries one transfer at a time. `bridge.transfer` is valid until bridge_bus_done. A
 * transfer that has not ended after 2 ms is ended by the port, which frees the bus with nine clocks
 * and a STOP, with interrupts on, and tells that it has failed.
 *
 * INTERRUPTS. From interrupts may be called: bridge_next_write, bridge_begun_write,
 * bridge_take_write, bridge_note_lateness, bridge_bus_done and bridge_take_byte; none of them while
 * another runs. bridge_take_due, bridge_hasten and bridge_take_switch call them and so exclude
 * them: where there is such an interrupt, it is off meanwhile. All others belong to one loop. What
 * the loop and an interrupt share it changes between BRIDGE_ATOMIC_BEGIN and BRIDGE_ATOMIC_END
 * (bridge_atomic.h), which keep the interrupts of the same core off and are a barrier to the
 * compiler. On a controller with two cores the interrupts of the timer and of the bus are handled
 * by the core of the loop, or both macros also take a lock.
 *
 * RECEIVING. The port's buffer holds BRIDGE_LINK_WINDOW bytes and 33 more (SPEC 4.4). When it is
 * full, a byte is dropped together with its stamp and counted in `counters.lost_bytes`.
 *
 * STORING. bridge_take_save and bridge_take_lock name an actuator whose configuration or lock is to
 * be stored within 300 ms, while everything else goes on. A port whose flash stops the processor
 * meanwhile defines BRIDGE_STORES_AT_REST.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator.h"
#include "answers.h"
#include "bridge_limits.h"
#include "bridge_outline.h"
#include "bus.h"
#include "drv2605.h"
#include "frame.h"
#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the port knows of its board, and says before the first poll. */
struct bridge_board {
    uint64_t board_id; /**< 0: none given */
    uint16_t firmware; /**< major << 8 | minor */
    uint16_t boot_count;
    uint8_t features;    /**< beside the core's own: BRIDGE_FEATURE_STORAGE and _BOOTLOADER */
    uint8_t reset_cause; /**< enum bridge_reset_cause */
#if !BRIDGE_HAS_ALL
    uint8_t actuators; /**< that it has, 1 to BRIDGE_ACTUATOR_COUNT; at first 1 */
    uint8_t streams;   /**< likewise */
#endif
};

/** Counters of STATUS (SPEC 4.5), in its order; all modulo their width. */
struct bridge_counters {
    uint16_t damaged_frames;
    uint16_t late_events;
    uint32_t latest_us;
    uint16_t skipped_taps;
    uint16_t underruns;
    uint16_t dead_man_trips;
    uint16_t bus_errors;
    uint16_t chip_resets;
    uint16_t lost_bytes; /**< bytes that found the port's receive buffer full; it counts them */
};

/** Whose transfer is on the bus, and whether it failed. */
enum bridge_bus_owner {
    BUS_FREE = 0,
    BUS_DUE = 1,
    BUS_SHOWN = 2,
    BUS_DRIVER = 3,
    BUS_OWNER_MASK = 3,
    BUS_FAILED = 4,
    BUS_SWITCH = 8, /**< the port leads it to other actuators, and nothing follows from that */
};

/* What is used most lies first: an AVR reaches 64 bytes from a pointer. */
struct bridge {
    uint32_t heard_us; /**< when the last valid frame of the session ended */
    bool has_session;  /**< the receiver knows it */
    bool configures;   /**< the receiver holds a configuration that is to be taken over */
    struct answers answers;
    uint8_t fault_total;
    uint16_t faults;
    struct bridge_counters counters;
    uint8_t renders;            /**< steps of rendering since all else had its turn */
    volatile uint8_t bus_owner; /**< enum bridge_bus_owner */
#if BRIDGE_ACTUATOR_COUNT > 1
    bool has_failures;         /**< some actuator's `failures` are not 0 */
    volatile bool writes_wait; /**< for an untimed transfer; not one that has begun */
#endif
    volatile uint8_t bus_ended;   /**< untimed transfer whose result nobody has looked at yet */
    uint8_t bus_actuator;         /**< of the untimed transfer */
    uint8_t bus_step;             /**< of the driver, which asked for it */
    uint8_t bus_value;            /**< what it has read */
    volatile uint8_t late_writes; /**< later than BRIDGE_LATE_US, and not in `counters` yet */
    volatile uint16_t late_us;    /**< the greatest lateness not in `counters` yet */
    uint16_t save;                /**< actuators whose configuration is to be stored */
    uint16_t save_lock;           /**< actuators whose lock is to be stored */
    bool wants_bootloader;
    struct bridge_transfer transfer; /**< taken last */
    struct bridge_board board;
    struct actuator actuators[BRIDGE_ACTUATOR_COUNT];
    struct stream streams[BRIDGE_STREAM_COUNT];
    struct frame_receiver receiver;
    struct frame_sender sender;
    uint8_t event_memory[BRIDGE_EVENT_MEMORY];
};

/** How many actuators the board has. */
static inline uint8_t bridge_actuators(const struct bridge *bridge) {
#if BRIDGE_HAS_ALL
    (void)bridge;
    return BRIDGE_ACTUATOR_COUNT;
#else
    return bridge->board.actuators;
#endif
}

/** How many streams. */
static inline uint8_t bridge_streams(const struct bridge *bridge) {
#if BRIDGE_HAS_ALL
    (void)bridge;
    return BRIDGE_STREAM_COUNT;
#else
    return bridge->board.streams;
#endif
}

/** An actuator by its number; the number of the only one is known beforehand. */
static inline struct actuator *bridge_actuator(struct bridge *bridge, uint8_t index) {
    return &bridge->actuators[BRIDGE_ACTUATOR_COUNT > 1 ? index : 0];
}

/** Likewise a stream. */
static inline struct stream *bridge_stream(struct bridge *bridge, uint8_t index) {
    return &bridge->streams[BRIDGE_STREAM_COUNT > 1 ? index : 0];
}

/** Brings a context of zeros into the state after reset: no session, EN pins low, no chip touched
    yet. In `board` there are the features of the core. */
void bridge_init(struct bridge *bridge);

/**
 * Gives an actuator its stored configuration, before the first poll. Returns false, and leaves the
 * actuator unconfigured, if the configuration fails the checks of SPEC 8.
 */
bool bridge_load(struct bridge *bridge, uint8_t actuator,
                 const struct configuration *configuration);

/** Gives an actuator its stored lock, before its configuration. */
void bridge_load_lock(struct bridge *bridge, uint8_t actuator, const struct lock *lock);

/** The heat of an actuator, in the unit of its budget (SPEC 8). The port keeps it in memory that
   only a loss of power clears. */
static inline uint16_t bridge_heat(const struct bridge *bridge, uint8_t actuator) {
    return (uint16_t)(bridge->actuators[actuator].heat >> 8);
}

/** Gives an actuator what it had borne before a reset, before the first poll. */
void bridge_load_heat(struct bridge *bridge, uint8_t actuator, uint16_t heat);

/** Tells the host that a configuration or a lock could not be stored. */
void bridge_storage_failed(struct bridge *bridge);

/** One byte off the line; `stamp_us` is when it had arrived. */
void bridge_receive(struct bridge *bridge, uint8_t byte, uint32_t stamp_us);

/** Takes bytes off the line up to the first delimiter, which bridge_receive takes. Returns how
   many: none while the receiver still holds a configuration, which the next poll takes over. */
static inline uint8_t bridge_receive_run(struct bridge *bridge, const uint8_t *bytes,
                                         uint8_t count) {
    return bridge->configures ? 0 : frame_receive_run(&bridge->receiver, bytes, count);
}

/** One bounded step of work. Returns true while there is more to do at this very time. */
bool bridge_poll(struct bridge *bridge, uint32_t now_us);

/** True if a mask is not empty and all of its actuators take levels. */
BRIDGE_INLINE bool bridge_are_ready(const struct bridge *bridge, uint8_t mask) {
    const struct actuator *actuator = bridge->actuators;
#if BRIDGE_ACTUATOR_COUNT > 1
    if (!mask) {
        return false;
    }
    for (; mask > 1; mask >>= 1, actuator++) {
        if ((mask & 1) && !drv2605_is_ready(actuator)) {
            return false;
        }
    }
#else
    (void)mask;
#endif
    return drv2605_is_ready(actuator);
}

/** Whether timed writes wait for an untimed transfer: the bus is soon asked for one, or they are
    late. */
static inline bool bridge_writes_wait(const struct bridge *bridge) {
#if BRIDGE_ACTUATOR_COUNT > 1
    return bridge->writes_wait;
#else
    (void)bridge;
    return false;
#endif
}

/** The timed write of a stream that is due first, if the chips that it is for are ready; or null.
 */
BRIDGE_INLINE struct bridge_write *bridge_stream_write(struct bridge *bridge,
                                                       struct stream *stream) {
    struct bridge_writes *writes = &stream->writes;
    uint8_t tail = writes->tail;
#if BRIDGE_ACTUATOR_COUNT > 1
    if (bridge_writes_wait(bridge) && !writes->left) {
        return 0;
    }
#endif
    return writes->head != tail && bridge_are_ready(bridge, (uint8_t)stream->actuators)
               ? writes_at(writes, tail)
               : 0;
}

/** The first of those of all streams. */
struct bridge_write *bridge_first_write(struct bridge *bridge);

/** The timed write that is due first, of those whose chips are ready; or null. For the port's
    timer. */
BRIDGE_INLINE const struct bridge_write *bridge_next_write(struct bridge *bridge) {
    return BRIDGE_STREAM_COUNT > 1 ? bridge_first_write(bridge)
                                   : bridge_stream_write(bridge, &bridge->streams[0]);
}

#if BRIDGE_ACTUATOR_COUNT > 1

/** The stream that a write is one of. */
static inline struct stream *bridge_stream_of(struct bridge *bridge,
                                              const struct bridge_write *write) {
    uint8_t index = 0;
    while (BRIDGE_STREAM_COUNT > 1 && (const void *)write >= (void *)&bridge->streams[index + 1]) {
        index++;
    }
    return &bridge->streams[index];
}

/** The write that has reached some of its actuators and is to go on to the others; or null. */
BRIDGE_INLINE const struct bridge_write *bridge_begun_write(struct bridge *bridge) {
    for (uint8_t index = 0; index < bridge_streams(bridge); index++) {
        struct bridge_writes *writes = &bridge->streams[index].writes;
        if (writes->left) {
            return writes_at(writes, writes->tail);
        }
    }
    return 0;
}

/**
 * Puts the next part of a write, for the actuators that get the same value, into
 * `bridge->transfer`, the bus being free: answer it with bridge_bus_done. What they show then is
 * noted at once. The write is the next one until it has reached all actuators of its stream. For
 * the port's timer, which knows when it is due. True for its first part, whose lateness counts.
 */
bool bridge_take_write(struct bridge *bridge, const struct bridge_write *write);

/** If the bus leads to the actuators `selected`, and it is free, and until the next write is due
    there is time to lead it where that goes first: puts these into `bridge->transfer.actuators`.
    To be answered with bridge_bus_done. */
bool bridge_take_switch(struct bridge *bridge, uint8_t selected, uint32_t now_us);

#else

/**
 * Puts the next write into `bridge->transfer`, the bus being free: answer it with bridge_bus_done.
 * What the actuator shows then is noted at once. For the port's timer, which knows when it is due,
 * and how late it is; therefore inline.
 */
BRIDGE_INLINE bool bridge_take_write(struct bridge *bridge, const struct bridge_write *write) {
    struct bridge_writes *writes = &bridge->streams[0].writes;
    writes->tail = (uint8_t)(writes->tail + WRITE_SIZE);
    bridge->actuators[0].shown = write->level;
    bridge->transfer.reg = DRV2605_REG_RTP_INPUT;
    bridge->transfer.value = write->values[0];
    bridge->transfer.is_read = false;
    bridge->bus_owner = BUS_DUE;
    return true;
}

#endif

/** Notes by how much a write was late that has been taken. */
BRIDGE_INLINE void bridge_note_lateness(struct bridge *bridge, uint16_t late_us) {
    if (late_us > bridge->late_us) {
        bridge->late_us = late_us;
    }
    if (late_us > BRIDGE_LATE_US) {
        bridge->late_writes++;
    }
}

/** Notes the lateness of a write that is overdue, which is due now instead: a port's timer may tell
    short times only. */
void bridge_hasten(struct bridge *bridge, uint32_t now_us);

/** If the bus is free and a timed write is due, takes it likewise. */
bool bridge_take_due(struct bridge *bridge, uint32_t now_us);

/** The same for what is not timed; none starts shortly before a timed write, if it can wait. */
bool bridge_take_untimed(struct bridge *bridge, uint32_t now_us);

/* A due write was acknowledged: failures are no longer in a row. */
static inline void bridge_forget_failures(struct bridge *bridge) {
#if BRIDGE_ACTUATOR_COUNT > 1
    if (!bridge->has_failures) {
        return;
    }
    bridge->has_failures = false;
    for (uint8_t index = 0; index < bridge_actuators(bridge); index++) {
        if (bridge->transfer.actuators >> index & 1) {
            bridge->actuators[index].failures = 0;
        }
        bridge->has_failures |= bridge->actuators[index].failures;
    }
#else
    bridge->actuators[0].failures = 0;
#endif
}

/**
 * The running transfer has ended: acknowledged or not, and the byte it read. A timed write that
 * went out leaves nothing to do. Inline, for an interrupt that calls nothing has little to save.
 */
static inline void bridge_bus_done(struct bridge *bridge, bool ok, uint8_t value) {
    uint8_t owner = ok ? bridge->bus_owner : bridge->bus_owner | BUS_FAILED;
    bridge->bus_owner = BUS_FREE;
    if (BRIDGE_ACTUATOR_COUNT > 1 && (owner & BUS_SWITCH)) {
        return;
    }
    if (owner == BUS_DUE) {
        bridge_forget_failures(bridge);
    } else if (owner == (BUS_DUE | BUS_FAILED)) {
        bridge->bus_owner = owner;
    } else {
        bridge->bus_value = value;
        bridge->bus_ended = owner;
    }
}

/** True if a frame is ready to be sent. */
bool bridge_has_byte(const struct bridge *bridge);

/** The next byte to send, if a frame is ready. */
bool bridge_take_byte(struct bridge *bridge, uint8_t *byte);

/** EN pins: bit n is actuator n. */
uint16_t bridge_enabled(const struct bridge *bridge);

/** An actuator whose configuration the port shall store now (SAVE); each is reported once. */
bool bridge_take_save(struct bridge *bridge, uint8_t *actuator);

/** An actuator whose lock the port shall store now (LOCK); each is reported once. */
bool bridge_take_lock(struct bridge *bridge, uint8_t *actuator);

/** True once the host has asked for the bootloader and everything is at rest. */
bool bridge_wants_bootloader(const struct bridge *bridge);

/* ---- Between bridge.c and bridge_bus.c ---------------------------------------------------- */

/** Whether the driver of an actuator has a transfer on the bus. */
bool bridge_driver_is_on_bus(const struct bridge *bridge, uint8_t actuator);

#if BRIDGE_ACTUATOR_COUNT > 1
/** Has timed writes wait for one transfer if what is pressing has found no gap between them; to be
    called often, as it also takes that back. */
void bridge_assign_turn(struct bridge *bridge, uint32_t now_us);
#endif

/** Does what follows from a transfer that has ended. */
void bridge_finish_transfer(struct bridge *bridge, uint32_t now_us);

#ifdef __cplusplus
}
#endif

#endif
