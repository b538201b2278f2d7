// A bridge between a computer that runs `bridge play` and the other commands, and a DRV2605.
//
// Connect SDA and SCL of the driver to those of the board, EN to pin 4 with a 100 kOhm resistor to
// ground, VIN to the supply voltage of the board's pins, and GND to GND. On a XIAO, pin 4 is SDA:
// use pin 3 for EN.

#include <HapticBridge.h>

const uint8_t enablePin = 4;

HapticBridge bridge(Serial, Wire, enablePin);

void setup() {
    // The LED of the board shows the level, unless it is an addressable one.
#if defined(LED_BUILTIN) && !defined(RGB_BUILTIN)
    bridge.mirrorLevel(LED_BUILTIN);
#endif
    bridge.begin();
}

void loop() { bridge.update(); }
