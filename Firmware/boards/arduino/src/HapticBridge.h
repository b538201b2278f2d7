/*
 * Haptic Bridge in an Arduino sketch: a computer plays haptic patterns on actuators that a DRV2605
 * or DRV2605L drives.
 *
 *     #include <HapticBridge.h>
 *
 *     HapticBridge bridge(Serial, Wire, 4);  // pin 4 is EN, with 100 kOhm to ground
 *
 *     void setup() { bridge.begin(); }
 *     void loop() { bridge.update(); }
 *
 * The library owns the port, the bus and the EN pins: other code must not write to them. The sketch
 * may do other work, as long as loop() is short. README.md describes the effects of a long loop().
 */
#ifndef HAPTIC_BRIDGE_H
#define HAPTIC_BRIDGE_H

#include <Arduino.h>
#include <Wire.h>

#if defined(ARDUINO_NRF52_ADAFRUIT) && defined(USE_TINYUSB)
#include <Adafruit_TinyUSB.h> /* in this core, a library defines Serial */
#endif

class HapticBridge {
  public:
    /** The baud rate of a UART to the computer. */
    static const unsigned long baud = 250000;

    /** The maximum number of actuators of a bridge. */
#ifdef __AVR__
    static const uint8_t actuatorsMax = 1;
#else
    static const uint8_t actuatorsMax = 8;
#endif

    /** Creates a bridge to one driver on the bus, whose EN is connected to `enablePin`. `port` is
        any Stream: a UART, USB, or a Stream that the sketch opens itself. */
    template <class Port>
    HapticBridge(Port &port, TwoWire &wire, uint8_t enablePin)
        : HapticBridge(port, open<Port>, wire, &enablePin, 1) {}

    /** Creates a bridge to several drivers behind a TCA9548A: driver n is on channel n, and its EN
        is connected to `enablePins[n]`. */
    template <class Port, size_t count>
    HapticBridge(Port &port, TwoWire &wire, const uint8_t (&enablePins)[count])
        : HapticBridge(port, open<Port>, wire, enablePins, count) {
        static_assert(count <= actuatorsMax, "this controller has memory for fewer actuators");
    }

    /** Makes an LED show the level. A call after begin() has no effect. Use this function only if
       digitalWrite() switches the LED within microseconds. A high pin lights the LED, or a low pin
       if `isLitByLow` is true. */
    void mirrorLevel(uint8_t ledPin, bool isLitByLow = false);

    /** Sets EN low, opens the port (at `baud` if it is a UART), starts the bus, and loads the
        stored records. Returns false, and has no effect, if the sketch has already started another
        bridge.

        If `erasesLocks` is true, the stored locks are erased (SPEC 8, Lock). A sketch may, for
       example, derive `erasesLocks` from a jumper. */
    bool begin(bool erasesLocks = false);

    /** Does the pending work, for at most a millisecond. Call this function in each loop(). */
    void update();

  private:
    typedef void (*Opener)(Stream &);

    HapticBridge(Stream &port, Opener open, TwoWire &wire, const uint8_t *enablePins,
                 uint8_t count);

    Stream &port;
    Opener opener;
    TwoWire &wire;
    uint8_t enablePins[actuatorsMax];
    uint8_t count;
    uint8_t ledPin;
    bool isLedLitByLow;

    template <class Port>
    static auto openAt(Port &port, unsigned long rate, int) -> decltype(port.begin(rate), void()) {
        port.begin(rate);
    }

    template <class Port>
    static void openAt(Port &, unsigned long, long) {
    } /* called for a Stream that has no baud rate */

    template <class Port> static void open(Stream &port) {
        openAt(static_cast<Port &>(port), baud, 0);
    }
};

#endif
