// A sketch whose loop() also does other work, so that each call lasts 5 ms.

#include <HapticBridge.h>

HapticBridge bridge(Serial, Wire, 4);

void setup() { bridge.begin(); }

void loop() {
    bridge.update();
    delay(5);
}
