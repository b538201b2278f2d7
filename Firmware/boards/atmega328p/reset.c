#include "reset.h"

#include <avr/io.h>

#include "board.h"

#define MARK 0x48B1

/* Memory that is not cleared at a reset. */
static struct kept {
    uint16_t mark;  /**< MARK if the memory has kept its contents */
    uint16_t count; /**< number of boots since power was applied */
    uint8_t cause;  /**< the cause of the next reset, unless MCUSR contains another cause */
    uint16_t
        heat[BRIDGE_ACTUATOR_COUNT]; /**< the heat of each actuator, in the unit of bridge_heat */
} kept __attribute__((section(".noinit")));

/* Determines the cause of the reset. MCUSR takes precedence if the boot loader has preserved its
   value. If the boot loader has cleared MCUSR, a watchdog reset that occurred while interrupts were
   disabled is reported as a reset by the pin. */
uint8_t reset_cause(void) {
    uint8_t flags = MCUSR;
    MCUSR = 0;
    struct kept *memory = BRIDGE_OPTIMIZER_HIDE(&kept);
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

void reset_load_heat(void) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        bridge_load_heat(&board_bridge, index, kept.heat[index]);
    }
}

void reset_keep_heat(void) {
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        kept.heat[index] = bridge_heat(&board_bridge, index);
    }
}

uint16_t reset_count(void) { return kept.count; }

void reset_expect(uint8_t cause) { kept.cause = cause; }
