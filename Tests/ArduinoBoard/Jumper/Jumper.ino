// A sketch of which a jumper from pin 2 to ground undoes locks, and that begins a second bridge in vain.

#include <HapticBridge.h>

HapticBridge bridge(Serial, Wire, 4);
HapticBridge second(Serial, Wire, 5);

void setup() {
    pinMode(2, INPUT_PULLUP);
    bridge.begin(digitalRead(2) == LOW);
    if (second.begin()) {
        pinMode(4, INPUT); // the first one then plays nothing
    }
}

void loop() {
    bridge.update();
    second.update();
}
