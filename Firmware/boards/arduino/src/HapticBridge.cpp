#include "HapticBridge.h"

#include "board.h"

extern "C" {
#include "core/support/time.h"
}

/* The time after which update() returns, even if there is more work. */
#define UPDATE_MAX_US 1000u

/* The interval before a write is due during which the loop only waits for the due time, because
   other work could delay the write. */
#define WAIT_MAX_US 500

/* The limits of the work in one round. These limits are low because the loop starts due writes only
   between rounds. */
#define ROUND_BYTES 8
#define ROUND_POLLS 1

Hardware hardware;

static const HapticBridge *active;
static bool erases;
static uint8_t resetCause;
static uint16_t boots;

HapticBridge::HapticBridge(Stream &port, Opener open, TwoWire &wire, const uint8_t *enablePins,
                           uint8_t count)
    : port(port), opener(open), wire(wire), count(count), ledPin(noLed), isLedLitByLow(false) {
    memcpy(this->enablePins, enablePins, count);
}

/* ---- Start ------------------------------------------------------------------------------- */

void HapticBridge::mirrorLevel(uint8_t ledPin, bool isLitByLow) {
    this->ledPin = ledPin;
    isLedLitByLow = isLitByLow;
}

static void switchLed(bool on) {
    if (hardware.ledPin != noLed) {
        digitalWrite(hardware.ledPin, on != hardware.isLedLitByLow ? HIGH : LOW);
    }
}

void disableDrivers() {
    switchLed(false);
    for (uint8_t index = 0; index < hardware.count; index++) {
        digitalWrite(hardware.enablePins[index], LOW);
    }
}

/* Starts the bridge in the state after a reset, and reports `cause` to the host. */
static void start(uint8_t cause) {
    resetCause = cause;
    boots++;
    port_start();
}

bool HapticBridge::begin(bool erasesLocks) {
    if (active && active != this) {
        return false;
    }
    active = this;
    erases = erasesLocks;
    hardware = {&port, &wire, enablePins, count, ledPin, isLedLitByLow};
    disableDrivers();
    for (uint8_t index = 0; index < count; index++) {
        pinMode(enablePins[index], OUTPUT);
    }
    if (ledPin != noLed) {
        pinMode(ledPin, OUTPUT);
    }
    opener(port);
    start(BRIDGE_RESET_UNKNOWN);
    startWatch();
    return true;
}

void board_start(void) {
    board_set_enable(0);
    board_set_light(false);
    startClock();
    startLine();
    startBus();
    startStorage(erases);
    erases = false;
}

void board_describe(struct bridge_board *board) {
    board->firmware = BRIDGE_FIRMWARE_VERSION;
    board->kind = BRIDGE_BOARD_ARDUINO;
    board->reset_cause = resetCause;
    board->boot_count = boots;
    board->features |= hasStorage() ? BRIDGE_FEATURE_STORAGE : 0;
#ifdef ARDUINO_ARCH_ESP32
    board->board_id = ESP.getEfuseMac();
#endif
#if !BRIDGE_HAS_ALL
    board->actuators = hardware.count;
    board->streams = hardware.count;
#endif
}

/* ---- Each loop() --------------------------------------------------------------------------- */

/* If the next write is due soon, waits for its time and starts it. */
static bool waitForWrite() {
    const struct bridge_write *write = bridge_next_write(&port_bridge);
    if (!write || (int32_t)(write_start_us(write) - board_now_us()) > WAIT_MAX_US) {
        return false;
    }
    while (bridge_is_before(board_now_us(), write_start_us(write))) {
    }
    port_on_timer();
    return true;
}

void HapticBridge::update() {
    if (active != this) {
        return;
    }
    if (hasWatchTripped()) {
        port_keep_heat(); /* an actuator may have been driven since the last call to update() */
        start(BRIDGE_RESET_WATCHDOG);
    }
    uint32_t began_us = board_now_us();
    bool hasMore;
    do {
        hasMore = port_round(ROUND_BYTES, ROUND_POLLS);
        feedWatch(); /* before a transfer that may hang */
        hasMore |= waitForWrite();
        while (reportTransfer()) {
            hasMore = true;
        }
        flushLine();
    } while (hasMore && board_now_us() - began_us < UPDATE_MAX_US);
    pollStorage();
    feedWatch();
}

/* ---- Functions that a polled port does not need ------------------------------------------ */

/* Does nothing, because waitForWrite and each round start the writes. */
void board_set_alarm(uint32_t) {}

void board_wait(void) {}

void board_feed_watchdog(void) {}

/* Does nothing: the board does not offer this feature. */
void board_enter_bootloader(void) {}

/* The sketch determines in begin() whether locks are erased. */
bool board_erases_locks(void) { return false; }

/* ---- EN and the LED ---------------------------------------------------------------------- */

void board_set_enable(uint16_t pins) {
    static uint16_t shown;
    for (uint8_t index = 0; index < hardware.count; index++) {
        if ((shown ^ pins) >> index & 1) {
            digitalWrite(hardware.enablePins[index], pins >> index & 1 ? HIGH : LOW);
        }
    }
    shown = pins;
}

/* Switches the LED. Switching off an LED that the watch has already switched off has no effect. */
void board_set_light(bool on) {
    static bool isLit;
    if (on != isLit) {
        isLit = on;
        switchLed(on);
    }
}
