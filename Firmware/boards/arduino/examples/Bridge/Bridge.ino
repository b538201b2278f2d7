// A bridge between a computer and a DRV2605: `bridge info`, `bridge play` and the others reach it.
//
// Connect SDA and SCL of the driver to those of the board, EN to pin 4 with 100 kOhm to ground, VIN
// to the voltage of the board's pins, and GND to GND. On a XIAO, pin 4 is SDA: take pin 3 for EN.

#include <HapticBridge.h>

const uint8_t enablePin = 4;

HapticBridge bridge(Serial, Wire, enablePin);

void setup() {
    // The board's own LED shows the level, unless it is one of the kind whose colour is sent to it.
#if defined(LED_BUILTIN) && !defined(RGB_BUILTIN)
    bridge.mirrorLevel(LED_BUILTIN);
#endif
    bridge.begin();
}

void loop() { bridge.update(); }
