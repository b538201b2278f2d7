#include "restart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>
#include <stdbool.h>

#include "../../core/bridge_outline.h"
#include "../../protocol/bridge_protocol.h"
#include "pins.h"

#define MARK 0x48B1D6E5ul

/* Not cleared at a reset. */
static struct kept {
    uint32_t mark; /**< MARK: memory has kept its contents */
    uint16_t count;
    bool by_watchdog;
} kept __attribute__((section(".noinit")));

/* The driver first. The watchdog's next time-out resets: there is nothing left to do. */
ISR(WDT_vect) {
    pins_disable_driver();
    kept.by_watchdog = true;
    wdt_enable(WDTO_15MS);
    for (;;) {
    }
}

/* What MCUSR says goes first, where the bootloader has left it anything. */
uint8_t restart_cause(void) {
    uint8_t flags = MCUSR;
    MCUSR = 0; /* while WDRF is set the watchdog can not be stopped */
    wdt_disable();
    struct kept *memory = BRIDGE_HELD(&kept);
    uint8_t cause = BRIDGE_RESET_EXTERNAL;
    if ((flags & _BV(WDRF)) || memory->by_watchdog) {
        cause = BRIDGE_RESET_WATCHDOG;
    }
    if (memory->mark != MARK) {
        memory->mark = MARK;
        memory->count = 0;
        cause = BRIDGE_RESET_POWER;
    }
    if (flags & _BV(BORF)) {
        cause = BRIDGE_RESET_BROWN_OUT;
    }
    if (flags & _BV(PORF)) {
        cause = BRIDGE_RESET_POWER;
    }
    memory->count++;
    memory->by_watchdog = false;
    return cause;
}

uint16_t restart_count(void) { return kept.count; }

/* Interrupt first, then reset: the datasheet's 10.9.2, with its timed sequence. */
void restart_watch(void) {
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDE) | _BV(WDP2);
}

void restart_alive(void) { wdt_reset(); }
