#include "storage.h"

#include <avr/io.h>
#include <util/crc16.h>

#include "board.h"

/* The EEPROM from address 0 on: the complement of the board's id, so that an erased one has none;
   then two records, each a configuration and its CRC, the first good one of which counts. */
#define PLACE_0 sizeof(uint64_t)
#define PLACE_1 (PLACE_0 + CONFIGURATION_SIZE + sizeof(uint16_t))

/* The version of a configuration's layout: CRCs start from it, so that a record of another layout
   is not a good one. Not 0, from which an empty record's would be right. */
#define LAYOUT 1

/* The first byte of a record that counts no longer, and of one erased: no kind of actuator. */
#define INVALID 0xFF

static uint8_t unused; /**< the place of the record that does not count */

/* ---- Bytes -------------------------------------------------------------------------------- */

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

/* Of the one in memory. */
BRIDGE_OUTLINE static uint16_t crc_of_configuration(void) {
    const uint8_t *bytes = board_bridge.actuators[0].configuration.bytes;
    uint16_t crc = LAYOUT;
    for (uint8_t left = CONFIGURATION_SIZE; left; left--) {
        crc = _crc_ccitt_update(crc, *bytes++);
    }
    return crc;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static bool load(uint8_t from) {
    struct configuration *configuration = &board_bridge.actuators[0].configuration;
    uint8_t *to = configuration->bytes;
    EEARL = from;
    do {
        *to++ = read();
    } while (EEARL != (uint8_t)(from + CONFIGURATION_SIZE));
    uint16_t crc = read();
    crc |= (uint16_t)(read() << 8);
    return crc == crc_of_configuration() && bridge_load(&board_bridge, 0, configuration);
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
   is no special case. The CRC comes last, and only then does the other record cease to count. */
static bool is_saved(uint8_t to) {
    const uint8_t *from = board_bridge.actuators[0].configuration.bytes;
    EEARL = to;
    do {
        if (!is_stored(*from++)) {
            return false;
        }
    } while (EEARL != (uint8_t)(to + CONFIGURATION_SIZE));
    uint16_t crc = crc_of_configuration();
    if (!is_stored((uint8_t)crc) || !is_stored((uint8_t)(crc >> 8))) {
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
        unused = (uint8_t)(PLACE_0 + PLACE_1 - unused);
        board_bridge.save = 0; /* there is one actuator */
    }
}
