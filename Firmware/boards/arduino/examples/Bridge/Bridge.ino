// A bridge between a computer and a DRV2605, for `bridge info`, `bridge play` and the other
// commands.
//
// Connect SDA and SCL of the driver to SDA and SCL of the board, EN to pin 4 with 100 kOhm to
// ground, VIN to the supply pin that has the voltage of the board's I/O pins, and GND to GND. On a
// XIAO, pin 4 is SDA: use pin 3 for EN.

#include <HapticBridge.h>

const uint8_t enablePin = 4;

HapticBridge bridge(Serial, Wire, enablePin);

void setup() {
    // The board's LED shows the level, unless the LED is addressable.
#if defined(LED_BUILTIN) && !defined(RGB_BUILTIN)
    bridge.mirrorLevel(LED_BUILTIN);
#endif
    bridge.begin();
}

void loop() { bridge.update(); }
