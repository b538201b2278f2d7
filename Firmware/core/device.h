/*
 * The context of a device: its whole state, in one struct.
 *
 * A port allocates the context and passes it to the functions of bridge.h. A port sets the fields
 * `board` and `counters.lost_bytes`, and reads `transfer`; the other fields belong to the core.
 */
#ifndef BRIDGE_DEVICE_H
#define BRIDGE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "actuator/actuator.h"
#include "bus/transfer.h"
#include "link/answers.h"
#include "link/frame.h"
#include "player/stream.h"
#include "sensor/sensor.h"
#include "support/limits.h"

/** Properties of the board, which the port sets before the first poll. */
struct bridge_board {
    uint64_t board_id; /**< 0 if the board has no id */
    uint16_t firmware; /**< major << 8 | minor */
    uint16_t boot_count;
    uint8_t features;    /**< set by the core; the port adds BRIDGE_FEATURE_STORAGE and
                              BRIDGE_FEATURE_BOOTLOADER if it supports them */
    uint8_t reset_cause; /**< enum bridge_reset_cause */
    uint8_t kind;        /**< enum bridge_board_kind */
#if !BRIDGE_HAS_ALL
    uint8_t
        actuators; /**< number of actuators on the board, 1 to BRIDGE_ACTUATOR_COUNT; initially 1 */
    uint8_t streams; /**< maximum number of open streams, 1 to BRIDGE_STREAM_COUNT; initially 1 */
#endif
};

/** Counters of STATUS (SPEC 4.5), in its order; each wraps at its width. */
struct bridge_counters {
    uint16_t damaged_frames;
    uint16_t late_events;
    uint32_t latest_us;
    uint16_t skipped_taps;
    uint16_t underruns;
    uint16_t dead_man_trips;
    uint16_t bus_errors;
    uint16_t chip_resets;
    uint16_t lost_bytes; /**< number of bytes that the port discarded because the receive buffer was
                            full */
};

/** The owner of the transfer that is on the bus or has ended, with a flag for a failed transfer. */
enum bridge_bus_owner {
    BRIDGE_BUS_FREE = 0,
    BRIDGE_BUS_DUE = 1,    /**< a timed write */
    BRIDGE_BUS_SHOWN = 2,  /**< an untimed write of the level that an actuator already shows */
    BRIDGE_BUS_DRIVER = 3, /**< the driver of an actuator */
    BRIDGE_BUS_OWNER_MASK = 3,
    BRIDGE_BUS_FAILED = 4,
    BRIDGE_BUS_SWITCH = 8,  /**< the multiplexer; the result of a switch is ignored */
    BRIDGE_BUS_SENSOR = 16, /**< the sensor, which is not behind the multiplexer */
};

/** The attempts to set up the chips, in order. An attempt with an odd value uses a bus clock of 100
    kHz. */
enum bridge_bus_trial {
    BRIDGE_BUS_FAST = 0,       /**< 400 kHz, initially */
    BRIDGE_BUS_TRIED_SLOW = 1, /**< 100 kHz, after no chip could be set up at 400 kHz */
    BRIDGE_BUS_FAST_AGAIN = 2, /**< 400 kHz again, after a chip was set up at 100 kHz: the chip may
                                  only have lacked power before */
    BRIDGE_BUS_SLOW =
        3, /**< 100 kHz permanently, after the second attempt at 400 kHz has also failed */
};

/** The whole state of a device; all zeros before bridge_init. The most frequently used fields come
    first, because an AVR instruction reaches only 64 bytes from a pointer. */
struct bridge {
    uint32_t last_valid_frame_us; /**< time at which the last valid frame of the session ended */
    bool has_session;             /**< the receiver holds the session id */
    bool configuration_pending;   /**< the receiver holds a checked configuration that has not been
                                     applied yet */
    struct answers answers;
    uint8_t fault_total;
    uint16_t faults;
    struct bridge_counters counters;
    uint8_t renders; /**< number of rendering steps since the last turn of all other work */
    volatile uint8_t bus_owner; /**< enum bridge_bus_owner */
#if BRIDGE_ACTUATOR_COUNT > 1
    bool has_failures; /**< `failures` of at least one actuator is not 0 */
    volatile bool
        writes_wait; /**< writes that have not been started wait for an untimed transfer */
    uint8_t gap;     /**< the last time at which no untimed transfer waited for a gap: low bits of
                          bridge_time_counts */
    uint8_t bus_led; /**< the actuators to which the multiplexer connects the bus; 0: unknown */
#endif
    volatile uint8_t bus_ended;   /**< owner of an untimed transfer whose result is unread, or 0 */
    uint8_t bus_actuator;         /**< the actuator of the last untimed transfer */
    uint8_t bus_step;             /**< the driver's step that requested the last untimed transfer */
    uint8_t bus_value;            /**< the byte that the last untimed transfer read */
    volatile uint8_t late_writes; /**< number of writes later than BRIDGE_LATE_US that `counters`
                                     does not include yet */
    volatile uint16_t late_us;    /**< the maximum lateness that `counters` does not include yet */
    uint16_t save;                /**< actuators whose configuration must be stored */
    uint16_t save_lock;           /**< actuators whose lock must be stored */
    bool wants_bootloader;
    uint8_t probe;                   /**< the address on the bus that must be probed; 0: no probe */
    uint8_t bus_trial;               /**< enum bridge_bus_trial */
    struct bridge_transfer transfer; /**< the transfer that was taken last */
    struct bridge_board board;
    struct actuator actuators[BRIDGE_ACTUATOR_COUNT];
    struct stream streams[BRIDGE_STREAM_COUNT];
#if BRIDGE_SENSOR
    struct sensor sensor;
#endif
    struct frame_receiver receiver;
    struct frame_sender sender;
    uint8_t event_memory[BRIDGE_EVENT_MEMORY];
};

/** Returns the number of actuators of the board. */
static inline uint8_t bridge_actuators(const struct bridge *bridge) {
#if BRIDGE_HAS_ALL
    (void)bridge;
    return BRIDGE_ACTUATOR_COUNT;
#else
    return bridge->board.actuators;
#endif
}

/** Returns the maximum number of open streams. */
static inline uint8_t bridge_streams(const struct bridge *bridge) {
#if BRIDGE_HAS_ALL
    (void)bridge;
    return BRIDGE_STREAM_COUNT;
#else
    return bridge->board.streams;
#endif
}

/** True if the bus must run at 100 kHz instead of 400 kHz. The result changes only while no
    transfer is in progress or has been taken. */
static inline bool bridge_bus_is_slow(const struct bridge *bridge) { return bridge->bus_trial & 1; }

/** Returns the actuator with the given number. In a build with one actuator, the address is a
    constant. */
static inline struct actuator *bridge_actuator(struct bridge *bridge, uint8_t index) {
    return &bridge->actuators[BRIDGE_ACTUATOR_COUNT > 1 ? index : 0];
}

/** Returns the stream with the given number. In a build with one stream, the address is a
    constant. */
static inline struct stream *bridge_stream(struct bridge *bridge, uint8_t index) {
    return &bridge->streams[BRIDGE_STREAM_COUNT > 1 ? index : 0];
}

#endif
