/*
 * The interfaces between the files of this port, which together supply the functions of
 * board_hal.h.
 *
 * A sketch has only one bridge: the context of the core is static, because a controller does not
 * have enough memory for two contexts.
 */
#ifndef HAPTIC_BRIDGE_BOARD_H
#define HAPTIC_BRIDGE_BOARD_H

#include <Arduino.h>
#include <Wire.h>

extern "C" {
#include "boards/common/board_hal.h"
#include "boards/common/port.h"
}

/** The hardware that the sketch has selected. */
struct Hardware {
    Stream *port;
    TwoWire *wire;
    const uint8_t *enablePins;
    uint8_t count;
    uint8_t ledPin; /**< number of the pin, or noLed */
    bool isLedLitByLow;
};

/** The value of `ledPin` if no LED is selected. */
const uint8_t noLed = 0xFF;

extern Hardware hardware;

/** Sets all EN pins low, and switches the LED off. An interrupt also calls this function. */
void disableDrivers();

/* ---- clock.cpp --------------------------------------------------------------------------- */

/** Restarts the board's clock at BRIDGE_CLOCK_AT_BOOT. */
void startClock();

/* ---- bus.cpp ----------------------------------------------------------------------------- */

/** Starts the bus with its current clock rate. */
void startBus();

/** If a transfer has ended, reports its end to the core and returns true; otherwise returns
    false. */
bool reportTransfer();

/* ---- line.cpp ---------------------------------------------------------------------------- */

/** Discards the bytes that are waiting to be sent. */
void startLine();

/** Passes as many bytes from the core to the port as the port accepts without waiting. */
void flushLine();

/* ---- storage_*.cpp ----------------------------------------------------------------------- */

/** Starts the storage, and erases the stored locks if `erasesLocks` is true. */
void startStorage(bool erasesLocks);

/** True if the board has memory whose stored records survive a loss of power during a save. */
bool hasStorage();

/** Does one step of the save that is in progress, if any. */
void pollStorage();

/* ---- watch.cpp --------------------------------------------------------------------------- */

/** Starts the timer that sets EN low when update() is not called, if the core offers such a
    timer. */
void startWatch();

/** Restarts the timer of the watch after update() has done its work. After this call, actuators may
    be driven until the dead-man time has elapsed. */
void feedWatch();

/** True if the drivers have been disabled, or should have been disabled, since the last call to
    feedWatch(). */
bool hasWatchTripped();

#endif
