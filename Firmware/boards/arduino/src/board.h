/*
 * What the files of this port share: the parts of the board behind the functions of board_hal.h.
 *
 * A sketch has one bridge, because the core's context is static: a controller has no memory for
 * two.
 */
#ifndef HAPTIC_BRIDGE_BOARD_H
#define HAPTIC_BRIDGE_BOARD_H

#include <Arduino.h>
#include <Wire.h>

extern "C" {
#include "boards/common/board_hal.h"
#include "boards/common/port.h"
}

/** The hardware that the sketch has chosen. */
struct Hardware {
    Stream *port;
    TwoWire *wire;
    const uint8_t *enablePins;
    uint8_t count;
    uint8_t ledPin; /**< or noLed */
    bool isLedLitByLow;
};

/** In place of the pin of an LED: there is none. */
const uint8_t noLed = 0xFF;

extern Hardware hardware;

/** Sets all EN pins low, and puts the LED out. Also called by an interrupt. */
void disableDrivers();

/* ---- clock.cpp --------------------------------------------------------------------------- */

/** Begins the board's clock anew, at BRIDGE_CLOCK_AT_BOOT. */
void startClock();

/* ---- bus.cpp ----------------------------------------------------------------------------- */

/** Starts the bus at its present clock. */
void startBus();

/** Reports a transfer that has ended to the core. Returns false if there was none. */
bool reportTransfer();

/* ---- line.cpp ---------------------------------------------------------------------------- */

/** Forgets what was to be sent. */
void startLine();

/** Hands what the core has sent to the port, as far as that takes it without waiting. */
void flushLine();

/* ---- storage_*.cpp ----------------------------------------------------------------------- */

/** Starts the storage, and erases the stored locks if told so. */
void startStorage(bool erasesLocks);

/** True if there is memory in which a save survives a loss of power. */
bool hasStorage();

/** Does a step of a save that is under way. */
void pollStorage();

/* ---- watch.cpp --------------------------------------------------------------------------- */

/** Starts the timer that sets EN low when update() is not called, where there is such a timer. */
void startWatch();

/** Tells the watch that update() has done its work: what drives now may do so until the dead-man's
    time has passed. */
void feedWatch();

/** True if the drivers were disabled, or should have been, since the watch was fed last. */
bool hasWatchTripped();

#endif
