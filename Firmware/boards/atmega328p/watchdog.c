#include "watchdog.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#include "board.h"
#include "pins.h"
#include "reset.h"

/* Handles the first timeout. The function does not save registers, because it never returns: the
   second timeout resets the controller. */
__attribute__((OS_main, used, externally_visible)) void WDT_vect(void) {
    pins_disable_driver();
    pins_set_light(false);
    reset_expect(BRIDGE_RESET_WATCHDOG);
    for (;;) {
    }
}

/* Starts the watchdog in the mode in which an interrupt precedes the reset, with the timed sequence
   in section 10.9.2 of the data sheet. */
void watchdog_start(void) {
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDE) | _BV(WDP2);
}

void watchdog_feed(void) { wdt_reset(); }
