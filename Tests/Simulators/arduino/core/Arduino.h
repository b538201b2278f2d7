// An Arduino core for sketches that sketch-board runs. The core contains the part of the API that
// the library uses, and the additions of the cores whose macros are defined. Compilers for other
// processors also use this header.
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __STDC_HOSTED__
#include <string.h>
#else
extern "C" {
int memcmp(const void *first, const void *second, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
}
#endif

#include "../api.h"

// Cores that follow ArduinoCore-API define these constants as enumerations; numbers cannot be
// converted implicitly to an enumeration.
#if defined(ARDUINO_ARCH_RENESAS) || defined(ARDUINO_ARCH_SAMD)
enum PinStatus { LOW, HIGH };
enum PinMode { INPUT, OUTPUT, INPUT_PULLUP };
#else
#define LOW 0
#define HIGH 1
#define INPUT 0
#define OUTPUT 1
#define INPUT_PULLUP 2
typedef uint8_t PinStatus;
typedef uint8_t PinMode;
#endif

#define LED_BUILTIN API_LED
#define PIN_WIRE_SDA API_SDA
#define PIN_WIRE_SCL API_SCL

inline unsigned long micros() { return api_now_us(); }
inline void delayMicroseconds(unsigned int us) { api_spend_us(us); }
inline void delay(unsigned long ms) { api_spend_us((uint32_t)(ms * 1000)); }
inline void pinMode(uint8_t pin, PinMode mode) { api_set_direction(pin, mode == OUTPUT); }
inline void digitalWrite(uint8_t pin, PinStatus level) { api_set_level(pin, level == HIGH); }
inline PinStatus digitalRead(uint8_t pin) { return api_level(pin) ? HIGH : LOW; }

class Print {
  public:
    virtual size_t write(uint8_t byte) = 0;
    virtual size_t write(const uint8_t *bytes, size_t size) {
        for (size_t index = 0; index < size; index++) {
            write(bytes[index]);
        }
        return size;
    }
    virtual int availableForWrite() { return 0; }
};

class Stream : public Print {
  public:
    virtual int available() = 0;
    virtual int read() = 0;
    virtual int peek() = 0;
};

class USBSerial : public Stream {
  public:
    void begin(unsigned long) {}
    int available() override { return (int)api_received(); }
    int read() override { return api_received() ? api_take() : -1; }
    int peek() override { return -1; }
    int availableForWrite() override { return (int)api_room(); }
    size_t write(uint8_t byte) override { return write(&byte, 1); }
    size_t write(const uint8_t *bytes, size_t size) override {
        api_send(bytes, size);
        return size;
    }
};

extern USBSerial Serial;

#ifdef ARDUINO_ARCH_ESP32
#define RTC_NOINIT_ATTR __attribute__((section("noinit")))
struct EspClass {
    uint64_t getEfuseMac() { return 0x0000A1B2C3D4E5F6; }
};
extern EspClass ESP;
#endif

#ifdef TEENSYDUINO
class IntervalTimer {
  public:
    bool begin(void (*callback)(), unsigned int us) {
        api_call_every(us, callback);
        return true;
    }
};
#endif

#ifdef ARDUINO_NRF52_ADAFRUIT
typedef void *TimerHandle_t;
class SoftwareTimer {
  public:
    void begin(uint32_t ms, void (*callback)(TimerHandle_t));
    bool start();
};

// A timer that counts microseconds from its start. The captured count can be read immediately after
// the capture.
struct NRF_TIMER_Type {
    struct Capture {
        volatile uint32_t *to;
        void operator=(uint32_t);
    };
    uint32_t TASKS_START, MODE, BITMODE, PRESCALER;
    struct Task {
        void operator=(uint32_t);
    } TASKS_CAPTURE[6];
    volatile uint32_t CC[6];
};
extern NRF_TIMER_Type *NRF_TIMER4;
#define TIMER_MODE_MODE_Timer 0
#define TIMER_BITMODE_BITMODE_32Bit 3
#endif

void setup();
void loop();

#endif
