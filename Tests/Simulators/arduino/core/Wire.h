// Wire: the I2C bus of sketch-board.
#ifndef WIRE_H
#define WIRE_H

#include "Arduino.h"

class TwoWire : public Stream {
  public:
    void begin() { api_connect_bus(true); }
    void end() { api_connect_bus(false); }
    void setClock(uint32_t hz) { api_set_bus_clock(hz); }
#ifdef ARDUINO_ARCH_ESP32
    void setTimeOut(uint16_t ms) { api_limit_bus(ms * 1000u); }
#else
    void setWireTimeout(uint32_t us, bool) { api_limit_bus(us); }
#endif
    void beginTransmission(uint8_t to) {
        address = to;
        size = 0;
    }
    size_t write(uint8_t byte) override {
        bytes[size++ % sizeof bytes] = byte;
        return 1;
    }
    uint8_t endTransmission(bool stops = true) {
        return api_write_bus(address, bytes, size, stops);
    }
    size_t requestFrom(int from, int) {
        has = api_read_bus((uint8_t)from, &byte);
        return has;
    }
    int available() override { return has; }
    int peek() override { return has ? byte : -1; }
    int read() override {
        has = false;
        return byte;
    }

  private:
    uint8_t address;
    uint8_t bytes[32];
    uint8_t size;
    uint8_t byte;
    bool has;
};

extern TwoWire Wire;

#endif
