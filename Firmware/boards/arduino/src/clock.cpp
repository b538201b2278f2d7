#include "board.h"

/* The board's clock. In Adafruit's core for the nRF52, the clock has only the resolution of the
   scheduler, about 1 ms. With that core, a hardware timer that the core does not use counts
   microseconds instead. */
#ifdef ARDUINO_NRF52_ADAFRUIT

#define CLOCK_TIMER NRF_TIMER4

static void startCounter() {
    CLOCK_TIMER->MODE = TIMER_MODE_MODE_Timer;
    CLOCK_TIMER->BITMODE = TIMER_BITMODE_BITMODE_32Bit;
    CLOCK_TIMER->PRESCALER = 4; /* 16 MHz / 2^4 */
    CLOCK_TIMER->TASKS_START = 1;
}

/* Reads the counter. If the watch interrupts this function and also reads the counter, the
   interrupted call returns the later time, too. */
static uint32_t readCounter() {
    CLOCK_TIMER->TASKS_CAPTURE[0] = 1;
    return CLOCK_TIMER->CC[0];
}

#else

static void startCounter() {}

static uint32_t readCounter() { return (uint32_t)micros(); }

#endif

static uint32_t offset;

void startClock() {
    startCounter();
    offset = BRIDGE_CLOCK_AT_BOOT - readCounter();
}

uint32_t board_now_us(void) { return readCounter() + offset; }
