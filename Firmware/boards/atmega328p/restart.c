#include "restart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>
#include <stdbool.h>

#include "board.h"
#include "pins.h"

#define MARK 0x48B1

/* Not cleared at a reset. */
static struct kept {
    uint16_t mark; /**< MARK: memory has kept its contents */
    uint16_t count;
    uint8_t cause;                        /**< of the next reset, unless something says otherwise */
    uint16_t heat[BRIDGE_ACTUATOR_COUNT]; /**< what actuators have borne, without its lowest byte */
} kept __attribute__((section(".noinit")));

/* The driver first. The watchdog's next time-out resets: there is nothing left to do, and nobody to
   save registers for. */
__attribute__((OS_main, used, externally_visible)) void WDT_vect(void) {
    pins_disable_driver();
    kept.cause = BRIDGE_RESET_WATCHDOG;
    for (;;) {
    }
}

/* What MCUSR says goes first, where the boot loader has left it anything. If it has not, a watchdog
   that found interrupts off looks like the reset pin. */
uint8_t restart_cause(void) {
    uint8_t flags = MCUSR;
    MCUSR = 0;
    struct kept *memory = BRIDGE_HELD(&kept);
    uint8_t cause = memory->cause;
    if (flags & _BV(EXTRF)) {
        cause = BRIDGE_RESET_EXTERNAL;
    }
    if (flags & _BV(WDRF)) {
        cause = BRIDGE_RESET_WATCHDOG;
    }
    if (memory->mark != MARK) {
        *memory = (struct kept){.mark = MARK};
        cause = BRIDGE_RESET_POWER;
    }
    if (flags & _BV(BORF)) {
        cause = BRIDGE_RESET_BROWN_OUT;
    }
    if (flags & _BV(PORF)) {
        cause = BRIDGE_RESET_POWER;
    }
    memory->count++;
    memory->cause = BRIDGE_RESET_UNKNOWN;
    return cause;
}

void restart_load_heat(void) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        bridge_load_heat(&board_bridge, index, kept.heat[index]);
    }
}

void restart_keep_heat(void) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        kept.heat[index] = bridge_heat(&board_bridge, index);
    }
}

uint16_t restart_count(void) { return kept.count; }

/* Interrupt first, then reset: the datasheet's 10.9.2, with its timed sequence. */
void restart_watch(void) {
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDE) | _BV(WDP2);
}

void restart_alive(void) { wdt_reset(); }
