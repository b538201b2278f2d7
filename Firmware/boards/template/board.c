/*
 * Stubs of the functions of board_hal.h, to be copied for a new board. The stubs compile and link,
 * but have no effect yet. board_hal.h specifies the contract of each function. The comments in this
 * file describe the code that must be added.
 */
#include "../common/board_hal.h"

/* ---- Start ------------------------------------------------------------------------------- */

void board_start(void) {}

/* Add the properties that only the board can provide: its id, the cause of the reset, the number of
   boots, and, in `features`, BRIDGE_FEATURE_STORAGE and BRIDGE_FEATURE_BOOTLOADER if the board
   supports them. */
void board_describe(struct bridge_board *board) { board->firmware = BRIDGE_FIRMWARE_VERSION; }

/* ---- Time -------------------------------------------------------------------------------- */

uint32_t board_now_us(void) { return BRIDGE_CLOCK_AT_BOOT; }

/* The timer's interrupt calls port_on_timer at this time. */
void board_set_alarm(uint32_t time_us) { (void)time_us; }

void board_wait(void) {}

/* ---- The line ---------------------------------------------------------------------------- */

/* The receive interrupt stores each byte with its stamp. */
uint8_t board_peek(const uint8_t **bytes, uint32_t *stamp_us) {
    (void)bytes;
    (void)stamp_us;
    return 0;
}

void board_drop(uint8_t count) { (void)count; }

uint16_t board_lost_bytes(void) { return 0; }

bool board_can_send(void) { return false; }

void board_send(uint8_t byte) { (void)byte; }

/* ---- The chips --------------------------------------------------------------------------- */

void board_set_enable(uint16_t pins) { (void)pins; }

void board_set_light(bool on) { (void)on; }

/* The interrupt of the bus calls port_on_bus_end when the transfer has ended. */
void board_start_transfer(const struct bridge_transfer *transfer) { (void)transfer; }

bool board_find_selected(uint8_t *actuators) {
    (void)actuators;
    return false;
}

void board_set_bus_clock(bool is_slow) { (void)is_slow; }

void board_free_bus(void) {}

bool board_probe(uint8_t address) {
    (void)address;
    return false;
}

bool board_has_swapped_wires(void) { return false; }

/* ---- Memory ------------------------------------------------------------------------------ */

bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    (void)record;
    (void)actuator;
    (void)bytes;
    (void)size;
    return false;
}

bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    (void)record;
    (void)actuator;
    (void)bytes;
    (void)size;
    return false;
}

bool board_erases_locks(void) { return false; }

uint16_t board_kept_heat(uint8_t actuator) {
    (void)actuator;
    return 0;
}

void board_keep_heat(uint8_t actuator, uint16_t heat) {
    (void)actuator;
    (void)heat;
}

/* ---- Safety ------------------------------------------------------------------------------ */

void board_feed_watchdog(void) {}

void board_enter_bootloader(void) {}
