#include "watchdog.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#include "board.h"
#include "pins.h"
#include "reset.h"

/* Handles the first timeout. It never returns, so that it need not save registers: the second
   timeout resets the controller. */
__attribute__((OS_main, used, externally_visible)) void WDT_vect(void) {
    pins_disable_driver();
    pins_set_light(false);
    reset_expect(BRIDGE_RESET_WATCHDOG);
    for (;;) {
    }
}

/* Starts the watchdog so that an interrupt precedes the reset, by the timed sequence of the data
   sheet's section 10.9.2. */
void watchdog_start(void) {
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDE) | _BV(WDP2);
}

void watchdog_feed(void) { wdt_reset(); }
