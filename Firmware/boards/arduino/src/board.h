/*
 * The interfaces between the files of this port, which together supply the functions of
 * board_hal.h.
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

/** The value of `ledPin` for no LED. */
const uint8_t noLed = 0xFF;

extern Hardware hardware;

/** Sets all EN pins low, and switches the LED off. Also called by an interrupt. */
void disableDrivers();

/* ---- clock.cpp --------------------------------------------------------------------------- */

/** Restarts the board's clock at BRIDGE_CLOCK_AT_BOOT. */
void startClock();

/* ---- bus.cpp ----------------------------------------------------------------------------- */

/** Starts the bus at its present clock. */
void startBus();

/** Reports a transfer that has ended to the core. Returns false if there was none. */
bool reportTransfer();

/* ---- line.cpp ---------------------------------------------------------------------------- */

/** Discards the bytes that wait to be sent. */
void startLine();

/** Writes the bytes that the core has sent to the port, as many as it accepts without waiting. */
void flushLine();

/* ---- storage_*.cpp ----------------------------------------------------------------------- */

/** Starts the storage, and erases the stored locks if `erasesLocks`. */
void startStorage(bool erasesLocks);

/** True if there is memory in which a save survives a loss of power. */
bool hasStorage();

/** Does a step of the present save, if there is one. */
void pollStorage();

/* ---- watch.cpp --------------------------------------------------------------------------- */

/** Starts the timer that sets EN low when update() is not called, where there is such a timer. */
void startWatch();

/** Restarts the timer of the watch after update() has done its work: actuators may be driven until
    the time of the dead-man stop has passed. */
void feedWatch();

/** True if the drivers were disabled, or should have been, since the watch was fed last. */
bool hasWatchTripped();

#endif
