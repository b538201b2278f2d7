#include "storage.h"

#include <avr/io.h>
#include <util/crc16.h>

#include "board.h"

/* The EEPROM from address 0 on: the complement of the board's id, so that an erased one has none;
   then two records for each actuator, each a configuration and its CRC, the first good one of which
   counts. */
#define RECORD_SIZE (CONFIGURATION_SIZE + sizeof(uint16_t))
#define PLACE_0 ((place)(sizeof(uint64_t) + present * 2u * RECORD_SIZE))
#define PLACE_1 ((place)(PLACE_0 + RECORD_SIZE))

/* One actuator's records lie where a byte of address reaches. */
#if BRIDGE_ACTUATOR_COUNT > 1
#define ADDRESS EEAR
typedef uint16_t place;
static uint8_t present; /**< the actuator that is loaded or saved */
#else
#define ADDRESS EEARL
typedef uint8_t place;
#define present 0
#endif
_Static_assert(sizeof(uint64_t) + BRIDGE_ACTUATOR_COUNT * 2 * RECORD_SIZE <= E2END + 1,
               "records of all actuators");

/* The version of a configuration's layout: CRCs start from it, so that a record of another layout
   is not a good one. Not 0, from which an empty record's would be right. */
#define LAYOUT 1

/* The first byte of a record that counts no longer, and of one erased: no kind of actuator. */
#define INVALID 0xFF

static place unused[BRIDGE_ACTUATOR_COUNT]; /**< the places of the records that do not count */

/* ---- Bytes -------------------------------------------------------------------------------- */

/* At the address register, which moves on. */
static uint8_t read(void) {
    EECR = _BV(EERE);
    ADDRESS++;
    return EEDR;
}

/* Whether a byte is stored at the address register, which moves on; else it is now being written,
   which takes 3.4 ms. Nothing may come between the two bits. */
BRIDGE_OUTLINE static bool is_stored(uint8_t byte) {
    EECR = _BV(EERE);
    if (EEDR == byte) {
        ADDRESS++;
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
    const uint8_t *bytes = board_bridge.actuators[present].configuration.bytes;
    uint16_t crc = LAYOUT;
    for (uint8_t left = CONFIGURATION_SIZE; left; left--) {
        crc = _crc_ccitt_update(crc, *bytes++);
    }
    return crc;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static bool load(place from) {
    struct configuration *configuration = &board_bridge.actuators[present].configuration;
    uint8_t *to = configuration->bytes;
    ADDRESS = from;
    do {
        *to++ = read();
    } while (ADDRESS != (place)(from + CONFIGURATION_SIZE));
    uint16_t crc = read();
    crc |= (uint16_t)(read() << 8);
    return crc == crc_of_configuration() && bridge_load(&board_bridge, present, configuration);
}

static void load_newest(void) {
    unused[present] = PLACE_1;
    if (!load(PLACE_0)) {
        unused[present] = PLACE_0;
        if (!load(PLACE_1)) {
            board_bridge.actuators[present].configuration = (struct configuration){.bytes = {0}};
        }
    }
}

void storage_load(void) {
    uint8_t *id = (uint8_t *)&board_bridge.board.board_id;
    while (EECR & _BV(EEPE)) { /* a write that the reset did not end */
    }
    EEAR = 0;
    do {
        *id++ = (uint8_t)~read();
    } while (EEARL != sizeof(uint64_t));
#if BRIDGE_ACTUATOR_COUNT > 1
    for (present = 0; present < BRIDGE_ACTUATOR_COUNT; present++) {
        load_newest();
    }
#else
    load_newest();
#endif
}

/* ---- Saving ------------------------------------------------------------------------------- */

/* The first byte that is not as it shall be is written: a configuration that is replaced meanwhile
   is no special case. The CRC comes last, and only then does the other record cease to count. */
static bool is_saved(place to) {
    const uint8_t *from = board_bridge.actuators[present].configuration.bytes;
    ADDRESS = to;
    do {
        if (!is_stored(*from++)) {
            return false;
        }
    } while (ADDRESS != (place)(to + CONFIGURATION_SIZE));
    uint16_t crc = crc_of_configuration();
    if (!is_stored((uint8_t)crc) || !is_stored((uint8_t)(crc >> 8))) {
        return false;
    }
    ADDRESS = PLACE_0;
    return to == PLACE_0 || is_stored(INVALID);
}

void storage_poll(void) {
    if (!board_bridge.save || (EECR & _BV(EEPE))) {
        return;
    }
#if BRIDGE_ACTUATOR_COUNT > 1
    for (present = 0; !(board_bridge.save >> present & 1); present++) {
    }
#endif
    if (is_saved(unused[present])) {
        unused[present] = (place)(PLACE_0 + PLACE_1 - unused[present]);
        board_bridge.save &= BRIDGE_ACTUATOR_COUNT > 1 ? (uint16_t) ~(1u << present) : 0;
    }
}
