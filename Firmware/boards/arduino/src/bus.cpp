#include "board.h"

#define CLOCK_HZ 400000u
#define SLOW_CLOCK_HZ 100000u

/* The maximum duration of a transfer. If a failed transfer took longer, a chip is holding the bus;
   a missing acknowledgement would have ended the transfer sooner. */
#define TRANSFER_MAX_US 1500u
#define TIMEOUT_US 2000

#define MULTIPLEXER 0x70
#define NO_CHANNEL 0

static bool isSlow;
static uint8_t channels; /* mask of the open channels; NO_CHANNEL if unknown */
static uint8_t
    checked; /* the channels that were read back after the last write to the control register */

static bool hasEnded;
static bool succeeded;
static uint8_t byteRead;

/* Sets a timeout, because Wire would otherwise wait indefinitely for a bus that a chip holds. The
   name of the function that sets a timeout depends on the core, and no macro identifies that name
   reliably. Overload resolution therefore selects the first of these functions that compiles. */
template <class Bus>
static auto limitWaiting(Bus &bus, int) -> decltype(bus.setWireTimeout(TIMEOUT_US, true), void()) {
    bus.setWireTimeout(TIMEOUT_US, true);
}

template <class Bus>
static auto limitWaiting(Bus &bus, long) -> decltype(bus.setTimeOut(TIMEOUT_US / 1000), void()) {
    bus.setTimeOut(TIMEOUT_US / 1000);
}

template <class Bus> static void limitWaiting(Bus &, ...) {}

static void setClock() { hardware.wire->setClock(isSlow ? SLOW_CLOCK_HZ : CLOCK_HZ); }

void startBus() {
    hasEnded = false;
    channels = NO_CHANNEL;
    hardware.wire->begin();
    setClock();
    limitWaiting(*hardware.wire, 0);
}

void board_set_bus_clock(bool slow) {
    if (isSlow != slow) {
        isSlow = slow;
        setClock();
    }
}

bool board_probe(uint8_t address) {
    hardware.wire->beginTransmission(address);
    return hardware.wire->endTransmission() == 0;
}

/* ---- Recovery ---------------------------------------------------------------------------- */

#if defined(PIN_WIRE_SDA) && defined(PIN_WIRE_SCL)

/* Drives a line as an open drain: the pin is an output to pull the line low, and an input to
   release it. */
static void pull(uint8_t pin, bool low) {
    pinMode(pin, low ? OUTPUT : INPUT);
    delayMicroseconds(5);
}

static void clockOut() {
    digitalWrite(PIN_WIRE_SDA, LOW);
    digitalWrite(PIN_WIRE_SCL, LOW);
    pull(PIN_WIRE_SDA, false);
    for (uint8_t clock = 0; clock < 9; clock++) {
        pull(PIN_WIRE_SCL, true);
        pull(PIN_WIRE_SCL, false);
    }
    pull(PIN_WIRE_SCL, true);
    pull(PIN_WIRE_SDA, true);
    pull(PIN_WIRE_SCL, false);
    pull(PIN_WIRE_SDA, false);
}

#define BUS_LINES uint8_t
#define SDA_LINE 1
#define SCL_LINE 2

static void pull_low(uint8_t lines) {
    pinMode(PIN_WIRE_SDA, lines & SDA_LINE ? OUTPUT : INPUT);
    pull(PIN_WIRE_SCL, lines & SCL_LINE);
}

static bool is_low(uint8_t line) {
    return digitalRead(line == SDA_LINE ? PIN_WIRE_SDA : PIN_WIRE_SCL) == LOW;
}

#include "boards/common/bus_probe.h"

bool board_has_swapped_wires(void) {
    if (hardware.wire != &Wire) {
        return false;
    }
    hardware.wire->end();
    digitalWrite(PIN_WIRE_SDA, LOW);
    digitalWrite(PIN_WIRE_SCL, LOW);
    pull_low(0);
    uint8_t chip = hardware.count > 1 ? MULTIPLEXER : DRIVER_I2C_ADDRESS;
    bool areSwapped = is_address_acknowledged((uint8_t)(chip << 1), SDA_LINE, SCL_LINE);
    startBus();
    return areSwapped;
}

/* Frees the bus, and restarts it. Clocks are sent only on the first bus, because only the pins of
   that bus have names that every core defines. */
void board_free_bus(void) {
    if (hardware.wire == &Wire) {
        hardware.wire->end();
        clockOut();
    }
    startBus();
}

#else

bool board_has_swapped_wires(void) { return false; }

void board_free_bus(void) {
    hardware.wire->end();
    startBus();
}

#endif

/* ---- Transfers --------------------------------------------------------------------------- */

static bool selectChannels(uint8_t actuators) {
    checked = NO_CHANNEL;
    hardware.wire->beginTransmission((uint8_t)MULTIPLEXER);
    hardware.wire->write(actuators);
    return hardware.wire->endTransmission() == 0;
}

static bool checkChannels(uint8_t actuators) {
    if (hardware.wire->requestFrom((int)MULTIPLEXER, 1) == 1) {
        checked = (uint8_t)hardware.wire->read();
    }
    return checked == actuators;
}

/* Selects the multiplexer's channels for a transfer. Before an untimed transfer, the multiplexer's
   control register is also read back. */
static bool lead(uint8_t actuators) {
    if (hardware.count == 1) {
        return true;
    }
    bool ok =
        (actuators == channels || selectChannels(actuators)) &&
        (actuators == checked || !bridge_bus_is_untimed(&port_bridge) || checkChannels(actuators));
    channels = ok ? actuators : NO_CHANNEL;
    return ok;
}

static bool transfer(const struct bridge_transfer *transfer, uint8_t *value) {
    hardware.wire->beginTransmission((uint8_t)DRIVER_I2C_ADDRESS);
    hardware.wire->write(transfer->reg);
    if (!transfer->is_read) {
        hardware.wire->write(transfer->value);
        return hardware.wire->endTransmission() == 0;
    }
    if (hardware.wire->endTransmission(false) != 0 ||
        hardware.wire->requestFrom((int)DRIVER_I2C_ADDRESS, 1) != 1) {
        return false;
    }
    *value = (uint8_t)hardware.wire->read();
    return true;
}

/* Executes a transfer, and returns when it has ended. reportTransfer() reports the end to the core
   later, as an interrupt would. */
void board_start_transfer(const struct bridge_transfer *next) {
    uint32_t began_us = board_now_us();
    byteRead = 0;
    succeeded = lead(next->actuators) &&
                (bridge_bus_is_switching(&port_bridge) || transfer(next, &byteRead));
    hasEnded = true;
    if (!succeeded && board_now_us() - began_us > TRANSFER_MAX_US) {
        board_free_bus();
        hasEnded = true;
    }
}

bool board_find_selected(uint8_t *actuators) {
    *actuators = channels;
    return hardware.count > 1;
}

bool reportTransfer() {
    if (!hasEnded) {
        return false;
    }
    hasEnded = false;
    port_on_bus_end(succeeded, byteRead);
    return true;
}
