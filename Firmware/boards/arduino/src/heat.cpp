#include "board.h"

/* What an actuator has borne, in memory that a reset leaves alone, where the core has it. Elsewhere
   an actuator counts as cold after a reset. */
#if defined(ARDUINO_ARCH_ESP32)
#define KEPT RTC_NOINIT_ATTR
#elif defined(__AVR__)
#define KEPT __attribute__((section(".noinit")))
#else
#define KEPT
#endif

static KEPT uint16_t heat[BRIDGE_ACTUATOR_COUNT];
static KEPT uint16_t complement[BRIDGE_ACTUATOR_COUNT]; /* of the heat: memory has kept both */

uint16_t board_kept_heat(uint8_t actuator) {
    return heat[actuator] == (uint16_t)~complement[actuator] ? heat[actuator] : 0;
}

void board_keep_heat(uint8_t actuator, uint16_t value) {
    heat[actuator] = value;
    complement[actuator] = (uint16_t)~value;
}
