#include "storage.h"

#include <avr/io.h>

#include "board.h"

/* The EEPROM from address 0 on: the complement of the board's id, so that an erased one has none;
   then two records, each a configuration and its sum, the first good one of which counts. */
#define PLACE_0 sizeof(uint64_t)
#define PLACE_1 (PLACE_0 + CONFIGURATION_SIZE + sizeof(uint16_t))

/* Of a sum, so that an erased record is no good one; and of a record that counts no longer. */
#define SUM_START 1
#define INVALID 0xFF

static uint8_t unused; /**< the place of the record that does not count */

/* ---- Bytes -------------------------------------------------------------------------------- */

/* Sums up in an order that counts. */
static uint16_t add(uint16_t sum, uint8_t byte) {
    return (uint16_t)((uint16_t)(sum << 1 | sum >> 15) + byte);
}

/* At the address register, which moves on. */
static uint8_t read(void) {
    EECR = _BV(EERE);
    EEARL++;
    return EEDR;
}

/* Whether a byte is stored at the address register, which moves on; else it is now being written,
   which takes 3.4 ms. Nothing may come between the two bits. */
BRIDGE_OUTLINE static bool is_stored(uint8_t byte) {
    EECR = _BV(EERE);
    if (EEDR == byte) {
        EEARL++;
        return true;
    }
    EEDR = byte;
    BRIDGE_ATOMIC_BEGIN
    __asm__ volatile("sbi %0, %1 \n sbi %0, %2" ::"I"(_SFR_IO_ADDR(EECR)), "I"(EEMPE), "I"(EEPE));
    BRIDGE_ATOMIC_END
    return false;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static bool load(uint8_t from) {
    struct configuration *configuration = &board_bridge.actuators[0].configuration;
    uint8_t *to = configuration->bytes;
    uint16_t sum = SUM_START;
    EEARL = from;
    do {
        *to = read();
        sum = add(sum, *to++);
    } while (EEARL != (uint8_t)(from + CONFIGURATION_SIZE));
    sum = (uint16_t)(sum - read());
    sum = (uint16_t)(sum - ((uint16_t)read() << 8));
    return !sum && bridge_load(&board_bridge, 0, configuration);
}

void storage_load(void) {
    uint8_t *id = (uint8_t *)&board_bridge.board.board_id;
    while (EECR & _BV(EEPE)) { /* a write that the reset did not end */
    }
    EEAR = 0;
    do {
        *id++ = (uint8_t)~read();
    } while (EEARL != sizeof(uint64_t));
    unused = PLACE_1;
    if (!load(PLACE_0)) {
        unused = PLACE_0;
        if (!load(PLACE_1)) {
            board_bridge.actuators[0].configuration = (struct configuration){.bytes = {0}};
        }
    }
}

/* ---- Saving ------------------------------------------------------------------------------- */

/* The first byte that is not as it shall be is written: a configuration that is replaced meanwhile
   is no special case. The sum comes last, and only then does the other record cease to count. */
static bool is_saved(uint8_t to) {
    const uint8_t *from = board_bridge.actuators[0].configuration.bytes;
    uint16_t sum = SUM_START;
    EEARL = to;
    do {
        sum = add(sum, *from);
        if (!is_stored(*from++)) {
            return false;
        }
    } while (EEARL != (uint8_t)(to + CONFIGURATION_SIZE));
    if (!is_stored((uint8_t)sum) || !is_stored((uint8_t)(sum >> 8))) {
        return false;
    }
    EEARL = PLACE_0;
    return to == PLACE_0 || is_stored(INVALID);
}

void storage_poll(void) {
    if (!board_bridge.save || (EECR & _BV(EEPE))) {
        return;
    }
    if (is_saved(unused)) {
        uint8_t actuator;
        unused = (uint8_t)(PLACE_0 + PLACE_1 - unused);
        bridge_take_save(&board_bridge, &actuator);
    }
}
