// A sketch with three drivers behind a TCA9548A.

#include <HapticBridge.h>

const uint8_t enablePins[] = {4, 5, 6};

HapticBridge bridge(Serial, Wire, enablePins);

void setup() { bridge.begin(digitalRead(2) == LOW); }

void loop() { bridge.update(); }
