#include "reset.h"

#include "board.h"
#include "rp2040.h"

/* The timeout of the watchdog. A port must reset within 250 ms (board_hal.h), and a round takes at
   most a millisecond. */
#define WATCHDOG_US 100000u

/* The watchdog counts down by two per microsecond (erratum RP2040-E1). */
#define WATCHDOG_COUNTS (2 * WATCHDOG_US)

/* The mark in SCRATCH4 that records that the firmware has started the watchdog. When the boot ROM
   uses the watchdog, it stores a different value in SCRATCH4 (2.8.1.1). */
#define WATCHDOG_IS_OURS 0x48B15AFEu

/* The time between rest and the start of the boot loader, during which the last answers are
   sent. */
#define FAREWELL_US 20000u

/* Memory that a reset does not clear. The upper half of each entry is the complement of the lower
   half, so that an entry is either valid or empty even if the reset occurred while the entry was
   being written. */
struct kept {
    uint32_t boots;
    uint32_t heat[BRIDGE_ACTUATOR_COUNT];
};

__attribute__((section(".noinit"))) static struct kept kept;

static uint8_t cause;

static uint32_t with_check(uint16_t value) { return (uint32_t)(uint16_t)~value << 16 | value; }

static uint16_t checked(uint32_t entry) {
    uint16_t value = (uint16_t)entry;
    return entry == with_check(value) ? value : 0;
}

/* ---- The cause --------------------------------------------------------------------------- */

static uint8_t find_cause(void) {
    if (WATCHDOG_REASON) {
        return WATCHDOG_SCRATCH4 == WATCHDOG_IS_OURS ? BRIDGE_RESET_WATCHDOG : BRIDGE_RESET_UNKNOWN;
    }
    uint32_t reset = CHIP_RESET;
    if (reset & (CHIP_RESET_HAD_RUN | CHIP_RESET_HAD_PSM_RESTART)) {
        return BRIDGE_RESET_EXTERNAL;
    }
    return reset & CHIP_RESET_HAD_POR ? BRIDGE_RESET_POWER : BRIDGE_RESET_UNKNOWN;
}

void reset_start(void) {
    cause = find_cause();
    if (cause == BRIDGE_RESET_POWER) {
        kept = (struct kept){0};
    }
    kept.boots = with_check((uint16_t)(checked(kept.boots) + 1));
    WATCHDOG_CTRL = 0;
    PSM_WDSEL = PSM_ALL & ~(PSM_ROSC | PSM_XOSC);
    WATCHDOG_LOAD = WATCHDOG_COUNTS;
    WATCHDOG_SCRATCH4 = WATCHDOG_IS_OURS;
    WATCHDOG_CTRL = WATCHDOG_CTRL_ENABLE;
}

uint8_t reset_cause(void) { return cause; }

uint16_t reset_count(void) { return checked(kept.boots); }

uint16_t board_kept_heat(uint8_t actuator) { return checked(kept.heat[actuator]); }

void board_keep_heat(uint8_t actuator, uint16_t heat) { kept.heat[actuator] = with_check(heat); }

/* Restarts the watchdog's timeout, but only while interrupts occur. The watchdog resets the
   controller; in reset, all pads are inputs with a pull-down, so EN is low. */
void board_feed_watchdog(void) {
    if (timer_consume_beat()) {
        WATCHDOG_LOAD = WATCHDOG_COUNTS;
    }
}

/* ---- The boot loader --------------------------------------------------------------------- */

/* Starts the boot loader in the ROM by means of a watchdog reset, which also disconnects the device
   from USB. */
void reset_to_boot_loader(void) {
    typedef void *rom_lookup(const uint16_t *table, uint32_t code);
    typedef void rom_boot(uint32_t activity_led, uint32_t disabled_interfaces);
    __asm__ volatile("cpsid i" ::: "memory");
    rom_lookup *lookup = (rom_lookup *)(uintptr_t)ROM_TABLE_LOOKUP;
    rom_boot *boot = (rom_boot *)(uintptr_t)lookup((const uint16_t *)(uintptr_t)ROM_FUNC_TABLE,
                                                   ROM_RESET_USB_BOOT);
    boot(0, 0);
    for (;;) {
    }
}

/* Starts the boot loader when the time for the last answers has passed. The loop calls this
   function in each round once all actuators are at rest. */
void board_enter_bootloader(void) {
    static uint32_t asked_us;
    uint32_t now_us = board_now_us();
    if (!asked_us) {
        asked_us = now_us | 1;
    } else if (now_us - asked_us > FAREWELL_US) {
        board_set_enable(0);
        reset_to_boot_loader();
    }
}
