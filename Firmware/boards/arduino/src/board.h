/*
 * The interfaces between the files of this port, which together supply the functions of
 * board_hal.h.
 *
 * A sketch has one bridge, because the core's context is static: a controller does not have enough
 * memory for two.
 */
#ifndef HAPTIC_BRIDGE_BOARD_H
#define HAPTIC_BRIDGE_BOARD_H

#include <Arduino.h>
#include <Wire.h>

extern "C" {
#include "boards/common/board_hal.h"
#include "boards/common/port.h"
}

/** The hardware that the sketch specifies. */
struct Hardware {
    Stream *port;
    TwoWire *wire;
    const uint8_t *enablePins;
    uint8_t count;
    uint8_t ledPin; /**< noLed if there is none */
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

/** Starts the bus at its current clock frequency. */
void startBus();

/** Reports a completed transfer to the core. Returns false if there was none. */
bool reportTransfer();

/* ---- line.cpp ---------------------------------------------------------------------------- */

/** Discards the bytes that are queued for sending. */
void startLine();

/** Writes queued bytes to the port, as many as it accepts without waiting. */
void flushLine();

/* ---- storage_*.cpp ----------------------------------------------------------------------- */

/** Starts the storage, and erases the stored locks if `erasesLocks`. */
void startStorage(bool erasesLocks);

/** True if the board has memory in which a save survives a loss of power. */
bool hasStorage();

/** Does one step of the current save, if there is one. */
void pollStorage();

/* ---- watch.cpp --------------------------------------------------------------------------- */

/** Starts the timer that sets EN low when the sketch stops calling update(), if there is one. */
void startWatch();

/** Restarts the watch timer after update() has done its work: actuators may be driven until the
    dead-man stop is due. */
void feedWatch();

/** True if the watch has disabled the drivers, or should have, since its last restart. */
bool hasWatchTripped();

#endif
