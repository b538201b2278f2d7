// The objects of the core, and the symbols that sketch-board looks up in a sketch.
#include "Arduino.h"

#include "Wire.h"

USBSerial Serial;
TwoWire Wire;

#ifdef ARDUINO_ARCH_ESP32
EspClass ESP;
#endif

#ifdef ARDUINO_NRF52_ADAFRUIT
static NRF_TIMER_Type timer;
NRF_TIMER_Type *NRF_TIMER4 = &timer;

void NRF_TIMER_Type::Task::operator=(uint32_t) {
    timer.CC[this - timer.TASKS_CAPTURE] = api_now_us();
}

static void (*softwareCallback)(TimerHandle_t);
static uint32_t softwarePeriod;

static void callBack() { softwareCallback(nullptr); }

void SoftwareTimer::begin(uint32_t ms, void (*callback)(TimerHandle_t)) {
    softwarePeriod = ms * 1000;
    softwareCallback = callback;
}

bool SoftwareTimer::start() {
    api_call_every(softwarePeriod, callBack);
    return true;
}
#endif

// The section of memory that a reset does not clear. The section contains at least one byte, so
// that the linker creates it.
__attribute__((section("noinit"), used)) static uint8_t first;
extern "C" uint8_t __start_noinit[] __attribute__((visibility("hidden")));
extern "C" uint8_t __stop_noinit[] __attribute__((visibility("hidden")));

extern "C" uint8_t *sketch_kept(size_t *size) {
    *size = (size_t)(__stop_noinit - __start_noinit);
    return __start_noinit;
}

extern "C" void sketch_setup() { setup(); }

extern "C" void sketch_loop() { loop(); }
