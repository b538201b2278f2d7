/* The properties of the platform, derived from the macros that the build of the Arduino core
   defines. */
#ifndef HAPTIC_BRIDGE_PLATFORM_H
#define HAPTIC_BRIDGE_PLATFORM_H

/* Memory whose contents survive a loss of power during a write: the NVS of the ESP32, or an EEPROM
   whose cells are written individually or in blocks of up to 64 bytes. An EEPROM that is emulated
   in a single page of flash (ESP8266, RP2040, STM32) loses all contents if power fails while it is
   written. */
#if defined(ARDUINO_ARCH_ESP32)
#define HAPTIC_BRIDGE_HAS_PREFERENCES
#elif defined(__AVR__) || defined(ARDUINO_ARCH_RENESAS) || defined(ARDUINO_ARCH_RENESAS_UNO) ||    \
    defined(TEENSYDUINO)
#define HAPTIC_BRIDGE_HAS_EEPROM
#endif

#endif
