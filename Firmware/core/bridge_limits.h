/*
 * What one build of the core holds: sizes fixed at compile time, because there is no heap, and
 * features.
 * The defaults are the reference board's (ATmega328P, one actuator).
 */
#ifndef BRIDGE_LIMITS_H
#define BRIDGE_LIMITS_H

#include "../protocol/bridge_protocol.h"

/** Features that a board of this build may have; what none has takes no room. */
#ifndef BRIDGE_FEATURES
#define BRIDGE_FEATURES (BRIDGE_FEATURE_STORAGE | BRIDGE_FEATURE_BOOTLOADER)
#endif

/** The most actuators that a board of this build may have, 1 to 8: a multiplexer's channels. A
    microcontroller's board has as many; of others each says how many it has. */
#ifndef BRIDGE_ACTUATOR_COUNT
#ifdef __AVR__
#define BRIDGE_ACTUATOR_COUNT 1
#else
#define BRIDGE_ACTUATOR_COUNT 8
#endif
#endif

/** Whether every board of this build has the most of them. */
#ifndef BRIDGE_HAS_ALL
#define BRIDGE_HAS_ALL (BRIDGE_ACTUATOR_COUNT == 1)
#endif

/** The most streams, 1 to 13: an ACK carries the credit of each. An actuator belongs to one stream
 * at most, so more than actuators is waste. */
#ifndef BRIDGE_STREAM_COUNT
#define BRIDGE_STREAM_COUNT BRIDGE_ACTUATOR_COUNT
#endif

/** Event memory in bytes, divided among streams at OPEN. */
#ifndef BRIDGE_EVENT_MEMORY
#define BRIDGE_EVENT_MEMORY 384
#endif

/** Smallest event memory of a stream in bytes: it must hold any one event (20 bytes) and more. */
#define BRIDGE_STREAM_MEMORY_MIN 32

/** Timed writes that each stream holds, a power of two. */
#ifndef BRIDGE_WRITE_COUNT
#define BRIDGE_WRITE_COUNT 8
#endif

/** By how much a byte's stamp may be later than the time of the next poll, in microseconds. */
#define BRIDGE_STAMP_AHEAD_US 100000u

/** How far ahead writes are rendered, in microseconds. */
#define BRIDGE_HORIZON_US 10000u

/** 1 if storing stops the processor, so that SAVE and LOCK wait until all actuators rest (SPEC 8).
 */
#ifndef BRIDGE_STORES_AT_REST
#define BRIDGE_STORES_AT_REST 0
#endif

/** Sequenced bytes a host may have under way; the port's receive buffer holds these and more. */
#ifndef BRIDGE_LINK_WINDOW
#define BRIDGE_LINK_WINDOW 192
#endif

#endif
