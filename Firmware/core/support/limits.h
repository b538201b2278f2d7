/*
 * The sizes and features of one build of the core, fixed at compile time because there is no heap.
 * The defaults apply to the reference board (ATmega328P, one actuator).
 */
#ifndef BRIDGE_LIMITS_H
#define BRIDGE_LIMITS_H

#include "../../protocol/bridge_protocol.h"

/** The optional features that the boards of this build may have. The code for all other features is
    omitted from the build. */
#ifndef BRIDGE_FEATURES
#define BRIDGE_FEATURES (BRIDGE_FEATURE_STORAGE | BRIDGE_FEATURE_BOOTLOADER)
#endif

/** The maximum number of actuators on a board of this build, 1 to 8: a multiplexer has 8 channels.
 */
#ifndef BRIDGE_ACTUATOR_COUNT
#ifdef __AVR__
#define BRIDGE_ACTUATOR_COUNT 1
#else
#define BRIDGE_ACTUATOR_COUNT 8
#endif
#endif

/** 1 if every board of this build has the maximum number of actuators and streams. Otherwise,
    struct bridge_board contains the numbers of actuators and streams. */
#ifndef BRIDGE_HAS_ALL
#define BRIDGE_HAS_ALL (BRIDGE_ACTUATOR_COUNT == 1)
#endif

/** 1 if actuators may have a band (SPEC 8.9), otherwise 0. The image for several actuators on an
    ATmega328P has no room for the code. */
#ifndef BRIDGE_HAS_BAND
#if defined(__AVR__) && BRIDGE_ACTUATOR_COUNT > 1
#define BRIDGE_HAS_BAND 0
#else
#define BRIDGE_HAS_BAND 1
#endif
#endif

/** The maximum number of streams, 1 to 13, because an ACK has room for 13 credits. More streams
    than actuators would be useless, because an actuator belongs to at most one stream. */
#ifndef BRIDGE_STREAM_COUNT
#define BRIDGE_STREAM_COUNT BRIDGE_ACTUATOR_COUNT
#endif

/** The size of the event memory in bytes, which OPEN divides among streams. */
#ifndef BRIDGE_EVENT_MEMORY
#define BRIDGE_EVENT_MEMORY 384
#endif

/** The number of timed writes that the queue of each stream can contain, a power of two. */
#ifndef BRIDGE_WRITE_COUNT
#define BRIDGE_WRITE_COUNT 8
#endif

/** 1 if the build supports an accelerometer on the bus of the chips (SPEC 11), otherwise 0. */
#ifndef BRIDGE_SENSOR
#if defined(ARDUINO) || (defined(__AVR__) && BRIDGE_ACTUATOR_COUNT > 1)
#define BRIDGE_SENSOR 0
#else
#define BRIDGE_SENSOR 1
#endif
#endif

/** The maximum time by which a byte's stamp may be later than the next poll, in microseconds. */
#define BRIDGE_STAMP_AHEAD_US 100000u

/** The time by which writes are rendered before they are due, in microseconds. */
#define BRIDGE_HORIZON_US 10000u

/** 1 if the board supplies board_read_firmware (link/answers.h), otherwise 0. */
#ifndef BRIDGE_READS_FIRMWARE
#define BRIDGE_READS_FIRMWARE 0
#endif

/** 1 if storing stops the processor, so that SAVE and LOCK require all actuators to be at rest
    (SPEC 8). */
#ifndef BRIDGE_STORES_AT_REST
#ifdef ARDUINO /* for the Arduino library, which is compiled without options */
#define BRIDGE_STORES_AT_REST 1
#else
#define BRIDGE_STORES_AT_REST 0
#endif
#endif

/** The maximum number of unanswered sequenced bytes that a host may have sent. The port's receive
    buffer has room for 33 more bytes (SPEC 4.4). */
#ifndef BRIDGE_LINK_WINDOW
#if defined(ARDUINO) && (defined(__AVR__) || defined(ARDUINO_ARCH_STM32))
/* Serial holds 63 bytes, but the window must hold a whole frame. */
#define BRIDGE_LINK_WINDOW BRIDGE_FRAME_MAX
#else
#define BRIDGE_LINK_WINDOW 192
#endif
#endif

#endif
