// A sketch that erases the locks while a jumper connects pin 2 to ground, and tries to begin a
// second bridge.

#include <HapticBridge.h>

HapticBridge bridge(Serial, Wire, 4);
HapticBridge second(Serial, Wire, 5);

void setup() {
    pinMode(2, INPUT_PULLUP);
    bridge.begin(digitalRead(2) == LOW);
    if (second.begin()) {
        pinMode(4, INPUT); // disables the driver of the first bridge
    }
}

void loop() {
    bridge.update();
    second.update();
}
