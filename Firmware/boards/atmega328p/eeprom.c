#include "eeprom.h"

#include <avr/io.h>
#include <util/crc16.h>

#include "board.h"

/* The layout of the EEPROM from address 0: the complement of the board's id, so that an erased
   EEPROM has no id; then, for each actuator, two slots for its lock and two slots for its
   configuration. The addresses of the slots do not depend on the number of actuators. The first
   valid slot of a pair is used. A lock ends with a mark that the CRC does not cover. The mark
   distinguishes a damaged lock from cells that have never contained a lock. */
#define MARK 0x4CB2u
#define MARK_SIZE 2
#define CRC_SIZE 2
#define LOCK_SLOT_SIZE (LOCK_SIZE + CRC_SIZE + MARK_SIZE)
#define CONFIGURATION_SLOT_SIZE (CONFIGURATION_SIZE + CRC_SIZE)
#define ACTUATOR_SLOTS_SIZE (2 * (LOCK_SLOT_SIZE + CONFIGURATION_SLOT_SIZE))
#define RECORDS 8 /* follows the id */
_Static_assert(RECORDS + BRIDGE_ACTUATOR_COUNT * ACTUATOR_SLOTS_SIZE <= E2END + 1,
               "the EEPROM must hold the records of all actuators");

/* An address in the EEPROM. One byte is sufficient for the records of a single actuator. */
#if BRIDGE_ACTUATOR_COUNT > 1
#define ADDRESS EEAR
typedef uint16_t address;
#else
#define ADDRESS EEARL
typedef uint8_t address;
#endif

/* The address of the board's id. This address represents a missing record, because records are
   never stored there. */
#define NOWHERE 0

/* The version of the layout. The version is the initial value of the CRCs, so that a record in
   another layout fails its check. The version is not 0, because with version 0, an empty record
   would pass the check. */
#define LAYOUT 4

/* The first byte of an invalidated or erased record. No kind of actuator has this value. */
#define INVALID 0xFF

/* The number of failed writes after which a cell is considered worn out. */
#define WRITES_MAX 4

/* A record: its location in RAM, and its two consecutive slots in the EEPROM. */
struct record {
    uint8_t *bytes; /**< in memory */
    uint8_t size;
    address first;
    address second;
};

static struct record
    saved; /**< the record that is being saved; its size is 0 if no save is in progress */
static address written; /**< the cell that was written last */
static uint8_t writes;  /**< the number of consecutive writes to this cell */

static struct record lock_of(uint8_t index) {
    address first = (address)(RECORDS + index * ACTUATOR_SLOTS_SIZE);
    return (struct record){
        .bytes = bridge_lock(&board_bridge, index)->bytes,
        .size = LOCK_SIZE,
        .first = first,
        .second = (address)(first + LOCK_SLOT_SIZE),
    };
}

static struct record configuration_of(uint8_t index) {
    address first = (address)(RECORDS + index * ACTUATOR_SLOTS_SIZE + 2 * LOCK_SLOT_SIZE);
    return (struct record){
        .bytes = bridge_configuration(&board_bridge, index)->bytes,
        .size = CONFIGURATION_SIZE,
        .first = first,
        .second = (address)(first + CONFIGURATION_SLOT_SIZE),
    };
}

/* ---- Bytes -------------------------------------------------------------------------------- */

/* Reads the byte at the address in the address register, and increments the register. */
static uint8_t read(void) {
    EECR = _BV(EERE);
    ADDRESS++;
    return EEDR;
}

/* Stores a byte at the address in the address register. If the cell already contains the byte,
   increments the register and returns true; otherwise starts to write the byte, which takes 3.4 ms.
   No interrupt may occur between the instructions that set the two bits. */
static bool store_byte(uint8_t byte) {
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
    BRIDGE_CRITICAL_ENTER
    __asm__ volatile("sbi %0, %1 \n sbi %0, %2" ::"I"(_SFR_IO_ADDR(EECR)), "I"(EEMPE), "I"(EEPE));
    BRIDGE_CRITICAL_EXIT
    return false;
}

static void wait_for_write(void) {
    while (EECR & _BV(EEPE)) {
    }
}

/* ---- Records ------------------------------------------------------------------------------ */

/* True if a slot contains a valid record: the CRC over the record and its stored CRC is 0. */
static bool is_good(address at, uint8_t size) {
    uint16_t crc = LAYOUT;
    ADDRESS = at;
    for (uint8_t left = (uint8_t)(size + CRC_SIZE); left; left--) {
        crc = _crc_ccitt_update(crc, read());
    }
    return crc == 0;
}

/* Writes a record to a slot, one byte per call. Returns true once the slot contains the same record
   as the RAM. A configuration that is replaced during the save therefore needs no special
   treatment. The CRC is written after the bytes that it covers, and the mark of a lock is written
   last. */
static bool put_record(address at, const struct record *record) {
    const uint8_t *byte = record->bytes;
    uint16_t crc = LAYOUT;
    ADDRESS = at;
    for (uint8_t left = record->size; left; left--) {
        crc = _crc_ccitt_update(crc, *byte);
        if (!store_byte(*byte++)) {
            return false;
        }
    }
    return store_byte((uint8_t)crc) && store_byte((uint8_t)(crc >> 8)) &&
           (record->size != LOCK_SIZE || (store_byte((uint8_t)MARK) && store_byte(MARK >> 8)));
}

/* Returns the first valid slot of a record; NOWHERE if neither slot is valid. */
static address find(const struct record *record) {
    if (is_good(record->first, record->size)) {
        return record->first;
    }
    return is_good(record->second, record->size) ? record->second : NOWHERE;
}

/* True if a valid slot contains the record that is in RAM. */
static bool holds(address at, const struct record *record) {
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

/* Loads a record. Returns false if neither slot is valid, or if a second read returns different
   bytes. */
static bool load(const struct record *record) {
    address from = find(record);
    if (from == NOWHERE) {
        return false;
    }
    uint8_t *byte = record->bytes;
    ADDRESS = from;
    for (uint8_t left = record->size; left; left--) {
        *byte++ = read();
    }
    return holds(from, record);
}

/* True if a slot has contained a lock since the slot was erased. */
static bool has_mark(address at) {
    ADDRESS = (address)(at + LOCK_SIZE + CRC_SIZE);
    return read() == (uint8_t)MARK && read() == MARK >> 8;
}

static void load_lock(uint8_t index) {
    struct record lock = lock_of(index);
    if (!load(&lock)) {
        bool was_set = has_mark(lock.first) || has_mark(lock.second);
        lock.bytes[LOCK_KIND] = was_set ? LOCK_DAMAGED : 0;
    }
    bridge_load_lock(&board_bridge, index, bridge_lock(&board_bridge, index));
}

static void load_actuator(uint8_t index) {
    struct record configuration = configuration_of(index);
    struct configuration *loaded = bridge_configuration(&board_bridge, index);
    load_lock(index);
    if (!load(&configuration) || !bridge_load(&board_bridge, index, loaded)) {
        *loaded = (struct configuration){.bytes = {0}};
    }
}

void eeprom_load(void) {
    uint8_t *id = (uint8_t *)&board_bridge.board.board_id;
    wait_for_write(); /* a write may have begun before the reset */
    EEAR = 0;
    do {
        *id++ = (uint8_t)~read();
    } while (EEARL != sizeof(uint64_t));
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        load_actuator(index);
    }
}

static void erase(address at) {
    wait_for_write();
    ADDRESS = at;
    store_byte(INVALID);
}

/* Erases the lock in a slot. The function erases the mark, so that the slot is not mistaken for a
   damaged lock, and the first byte, so that the record in the slot becomes invalid. */
static void erase_lock(address at) {
    erase((address)(at + LOCK_SIZE + CRC_SIZE));
    erase(at);
}

void eeprom_unlock(void) {
    EEAR = 0;
    for (uint8_t index = 0; index < BRIDGE_ACTUATOR_COUNT; index++) {
        struct record lock = lock_of(index);
        erase_lock(lock.first);
        erase_lock(lock.second);
    }
}

/* ---- Saving ------------------------------------------------------------------------------- */

/* save_lock and save_configuration save a record, one byte per call, and return true once the
   record is stored. The functions do not write a record that is already stored, because a cell
   withstands only 100,000 writes. */

/* Saves a lock to both slots, so that the lock survives the loss of one slot. The old lock stays
   valid until the first slot is complete. */
static bool save_lock(const struct record *record) {
    return put_record(record->first, record) && put_record(record->second, record);
}

/* Saves a configuration. The old configuration becomes invalid only when the new configuration is
   complete. */
static bool save_configuration(const struct record *record) {
    address counts = find(record);
    if (counts != NOWHERE && holds(counts, record)) {
        return true;
    }
    bool is_first = counts == record->first;
    if (put_record(is_first ? record->second : record->first, record) && is_first) {
        ADDRESS = counts;
        store_byte(INVALID);
    }
    return false;
}

/* Takes the next record that the core has requested to store. Returns false if no request is
   pending. */
static bool take_record(void) {
    uint8_t index;
    if (bridge_take_lock(&board_bridge, &index)) {
        saved = lock_of(index);
    } else if (bridge_take_save(&board_bridge, &index)) {
        saved = configuration_of(index);
    } else {
        return false;
    }
    return true;
}

void eeprom_poll(void) {
    if ((EECR & _BV(EEPE)) || (!saved.size && !take_record())) {
        return;
    }
    bool is_over = saved.size == LOCK_SIZE ? save_lock(&saved) : save_configuration(&saved);
    if (!is_over && writes >= WRITES_MAX) {
        bridge_storage_failed(&board_bridge);
        /* Even if the first slot does not contain the lock, the lock may still be stored in the
           second slot. */
        is_over = saved.size != LOCK_SIZE || saved.first == saved.second;
        saved.first = saved.second;
        writes = 0;
    }
    if (is_over) {
        saved.size = 0;
        writes = 0;
    }
}
