#include "storage.h"

#include <avr/io.h>
#include <util/crc16.h>

#include "board.h"

/* The EEPROM from address 0 on: the complement of the board's id, so that an erased one has none;
   then two places for the configuration of each actuator, then two for the lock of each. Of two,
   the first good one counts. */
#define CRC_SIZE 2u
#define CONFIGURATIONS sizeof(uint64_t)
#define CONFIGURATION_PLACES (2 * (CONFIGURATION_SIZE + CRC_SIZE))
#define LOCKS (CONFIGURATIONS + BRIDGE_ACTUATOR_COUNT * CONFIGURATION_PLACES)
#define LOCK_PLACES (2 * (LOCK_SIZE + CRC_SIZE))
_Static_assert(LOCKS + BRIDGE_ACTUATOR_COUNT * LOCK_PLACES <= E2END + 1, "all of them have room");

/* One actuator's lie where a byte of address reaches. */
#if BRIDGE_ACTUATOR_COUNT > 1
#define ADDRESS EEAR
typedef uint16_t place;
#else
#define ADDRESS EEARL
typedef uint8_t place;
#endif

/* No record's place: the board's id is there. */
#define NOWHERE 0

/* The version of the layout: CRCs start from it, so that a record of another layout is not a good
   one. Not 0, from which an empty record's would be right. */
#define LAYOUT 1

/* The first byte of a record that counts no longer, and of one erased: no kind of actuator. */
#define INVALID 0xFF

/* A cell that has not taken a byte after so many writes is worn. */
#define WRITES_MAX 4

/* Something that is stored in two places, one behind the other. */
struct record {
    uint8_t *bytes; /**< in memory */
    uint8_t size;
    place first;
};

static place written;  /**< the cell that was written last */
static uint8_t writes; /**< how often in a row */

static struct record configuration_of(uint8_t index) {
    return (struct record){
        .bytes = bridge_actuator(&board_bridge, index)->configuration.bytes,
        .size = CONFIGURATION_SIZE,
        .first = (place)(CONFIGURATIONS + index * CONFIGURATION_PLACES),
    };
}

static struct record lock_of(uint8_t index) {
    return (struct record){
        .bytes = bridge_actuator(&board_bridge, index)->lock.bytes,
        .size = LOCK_SIZE,
        .first = (place)(LOCKS + index * LOCK_PLACES),
    };
}

static place second_of(const struct record *record) {
    return (place)(record->first + (place)(record->size + CRC_SIZE));
}

/* ---- Bytes -------------------------------------------------------------------------------- */

/* At the address register, which moves on. */
BRIDGE_OUTLINE static uint8_t read(void) {
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
    if (written != ADDRESS) {
        written = ADDRESS;
        writes = 0;
    }
    writes++;
    EEDR = byte;
    BRIDGE_ATOMIC_BEGIN
    __asm__ volatile("sbi %0, %1 \n sbi %0, %2" ::"I"(_SFR_IO_ADDR(EECR)), "I"(EEMPE), "I"(EEPE));
    BRIDGE_ATOMIC_END
    return false;
}

static void wait_for_write(void) {
    while (EECR & _BV(EEPE)) {
    }
}

/* ---- Records ------------------------------------------------------------------------------ */

/* The CRC over a record and its own is 0. */
static bool is_good(place at, uint8_t size) {
    uint16_t crc = LAYOUT;
    ADDRESS = at;
    for (uint8_t left = (uint8_t)(size + CRC_SIZE); left; left--) {
        crc = _crc_ccitt_update(crc, read());
    }
    return crc == 0;
}

/* Whether a place holds what is in memory; else its first byte that differs is now being written. A
   configuration that is replaced meanwhile is no special case. The CRC comes last. */
static bool is_put(place at, const struct record *record) {
    const uint8_t *byte = record->bytes;
    uint16_t crc = LAYOUT;
    ADDRESS = at;
    for (uint8_t left = record->size; left; left--) {
        crc = _crc_ccitt_update(crc, *byte);
        if (!is_stored(*byte++)) {
            return false;
        }
    }
    return is_stored((uint8_t)crc) && is_stored((uint8_t)(crc >> 8));
}

/* Of a record's two places the one that counts; NOWHERE if neither is good. */
static place find(const struct record *record) {
    if (is_good(record->first, record->size)) {
        return record->first;
    }
    place second = second_of(record);
    return is_good(second, record->size) ? second : NOWHERE;
}

/* Whether a place that is good holds what is in memory already. */
static bool holds(place at, const struct record *record) {
    const uint8_t *byte = record->bytes;
    ADDRESS = at;
    for (uint8_t left = record->size; left; left--) {
        if (read() != *byte++) {
            return false;
        }
    }
    return true;
}

/* ---- Loading ------------------------------------------------------------------------------ */

/* False, and memory is all zeros, if there is nothing to load. */
static bool load(const struct record *record) {
    place from = find(record);
    if (from == NOWHERE) {
        return false;
    }
    uint8_t *byte = record->bytes;
    ADDRESS = from;
    for (uint8_t left = record->size; left; left--) {
        *byte++ = read();
    }
    return true;
}

static void load_actuator(uint8_t index) {
    struct record lock = lock_of(index);
    struct record configuration = configuration_of(index);
    struct actuator *actuator = bridge_actuator(&board_bridge, index);
    load(&lock);
    if (load(&configuration) && !bridge_load(&board_bridge, index, &actuator->configuration)) {
        actuator->configuration = (struct configuration){.bytes = {0}};
    }
}

void storage_load(void) {
    uint8_t *id = (uint8_t *)&board_bridge.board.board_id;
    wait_for_write(); /* that a reset did not end */
    EEAR = 0;
    do {
        *id++ = (uint8_t)~read();
    } while (EEARL != sizeof(uint64_t));
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        load_actuator(index);
    }
}

static void erase(place at) {
    wait_for_write();
    ADDRESS = at;
    is_stored(INVALID);
}

void storage_unlock(void) {
    EEAR = 0;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct record lock = lock_of(index);
        erase(lock.first);
        erase(second_of(&lock));
    }
}

/* ---- Saving ------------------------------------------------------------------------------- */

/* Only once a record is whole does the one before it cease to count. What is stored already is not
   written again: a cell stands 100,000 writes. */
static bool is_saved(const struct record *record) {
    place counts = find(record);
    if (counts != NOWHERE && holds(counts, record)) {
        return true;
    }
    bool is_first = counts == record->first;
    if (is_put(is_first ? second_of(record) : record->first, record) && is_first) {
        ADDRESS = counts;
        is_stored(INVALID);
    }
    return false;
}

/* One step of what a mask asks for. */
static void save(uint16_t *mask, struct record (*record_of)(uint8_t)) {
    uint8_t index = 0;
    while (BRIDGE_ACTUATOR_COUNT > 1 && !(*mask >> index & 1)) {
        index++;
    }
    struct record record = record_of(index);
    bool is_over = is_saved(&record);
    if (!is_over && writes >= WRITES_MAX) {
        bridge_storage_failed(&board_bridge);
        is_over = true;
    }
    if (is_over) {
        *mask &= (uint16_t) ~(1u << index);
        writes = 0;
    }
}

void storage_poll(void) {
    if (!(board_bridge.save | board_bridge.save_lock) || (EECR & _BV(EEPE))) {
        return;
    }
    if (board_bridge.save_lock) {
        save(&board_bridge.save_lock, lock_of);
    } else if (board_bridge.save) {
        save(&board_bridge.save, configuration_of);
    }
}
