#include "board.h"

/* The heat of each actuator, stored in memory that a reset does not clear, if the core offers such
   memory. On other cores, an actuator is considered cold after a reset. */
#if defined(ARDUINO_ARCH_ESP32)
#define KEPT RTC_NOINIT_ATTR
#elif defined(__AVR__)
#define KEPT __attribute__((section(".noinit")))
#else
#define KEPT
#endif

struct Heat {
    uint16_t value;
    uint16_t
        complement; /* the complement of the value; the two agree if both have survived a reset */
};

/* Two copies of the heat of each actuator, because a reset may interrupt the writing of one
   copy. */
static KEPT volatile Heat heat[2][BRIDGE_ACTUATOR_COUNT];

uint16_t board_kept_heat(uint8_t actuator) {
    for (const auto &copy : heat) {
        uint16_t value = copy[actuator].value;
        if (value == (uint16_t)~copy[actuator].complement) {
            return value;
        }
    }
    return 0;
}

void board_keep_heat(uint8_t actuator, uint16_t value) {
    for (auto &copy : heat) {
        copy[actuator].value = value;
        copy[actuator].complement = (uint16_t)~value;
    }
}
