// A sketch with other work: each loop() takes 5 ms.

#include <HapticBridge.h>

HapticBridge bridge(Serial, Wire, 4);

void setup() { bridge.begin(); }

void loop() {
    bridge.update();
    delay(5);
}
