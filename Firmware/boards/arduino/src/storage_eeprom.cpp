#include "board.h"
#include "platform.h"

#ifdef HAPTIC_BRIDGE_HAS_EEPROM

#include <EEPROM.h>

/* The records occupy the last bytes of the EEPROM, so that the sketch may use the first bytes. Each
   record has two slots, and the newest valid slot is used. A new configuration overwrites the older
   slot, so that at least one of the two slots is valid after a loss of power; a lock is stored in
   both slots. Each slot occupies its own block of 64 bytes, because some memories are written in
   blocks of that size. */
#define SLOT_SIZE 64
/* Number of slots for each actuator: two for the configuration, and two for the lock. */
#define SLOTS 4

/* A slot consists of the number of the save modulo 256 (0 for a lock), the record, and the CRC. The
   initial value of the CRC is the version of this layout. The version is not 0, so that an empty
   slot fails the check. A lock ends with a mark that the CRC does not cover. The mark distinguishes
   a damaged lock from cells that have never contained a lock. */
#define LAYOUT 3
#define OVERHEAD 3
#define MARK_AT (LOCK_SIZE + OVERHEAD)
static const uint8_t mark[] = {0xB2, 0x4C};
static_assert(CONFIGURATION_SIZE + OVERHEAD <= SLOT_SIZE, "a record must fit in its slot");

/* The value of an erased cell. */
#define ERASED 0xFF

/* The number of failed writes of a record after which its memory is considered worn out. */
#define TRIES_MAX 3

/* The record that is being saved. */
struct Save {
    uint8_t tries; /* remaining attempts; 0: no record is being saved */
    enum board_record record;
    uint8_t actuator;
    uint8_t number;
    int address;
    uint8_t written; /* number of bytes that have been written */
};

static Save save;
static uint8_t wanted[BOARD_LOCK + 1]; /* masks of the actuators whose records must be saved */

/* ---- Slots ------------------------------------------------------------------------------ */

static int addressOf(enum board_record record, uint8_t actuator, uint8_t which) {
    int end = (int)EEPROM.length() - actuator * SLOTS * SLOT_SIZE;
    return end - (record * 2 + which + 1) * SLOT_SIZE;
}

/* Adds a byte to a CRC-16 (CCITT). The function works bit by bit, because CRCs are rarely computed.
 */
static uint16_t update(uint16_t crc, uint8_t byte) {
    crc ^= byte;
    for (uint8_t bit = 0; bit < 8; bit++) {
        crc = (uint16_t)(crc & 1 ? crc >> 1 ^ 0x8408 : crc >> 1);
    }
    return crc;
}

static bool isGood(int address, uint8_t size) {
    uint16_t crc = LAYOUT;
    for (uint8_t index = 0; index < size + OVERHEAD; index++) {
        crc = update(crc, EEPROM.read(address + index));
    }
    return crc == 0;
}

/* Finds the newest valid slot of a record. Returns false if neither slot is valid. */
static bool find(enum board_record record, uint8_t actuator, uint8_t size, uint8_t *which) {
    int addresses[] = {addressOf(record, actuator, 0), addressOf(record, actuator, 1)};
    bool good[] = {isGood(addresses[0], size), isGood(addresses[1], size)};
    int8_t ahead = (int8_t)(EEPROM.read(addresses[1]) - EEPROM.read(addresses[0]));
    *which = good[1] && (!good[0] || ahead > 0);
    return good[0] || good[1];
}

static bool hasMark(int address) {
    return EEPROM.read(address + MARK_AT) == mark[0] &&
           EEPROM.read(address + MARK_AT + 1) == mark[1];
}

/* ---- Loading ----------------------------------------------------------------------------- */

/* Erases the lock in a slot: the mark, so that the slot is not considered to contain a damaged
   lock, and the first byte, so that the check of the slot fails. */
static void eraseLock(int address) {
    EEPROM.update(address + MARK_AT, ERASED);
    EEPROM.update(address + 1, ERASED);
}

void startStorage(bool erasesLocks) {
    save.tries = 0;
    wanted[BOARD_CONFIGURATION] = 0;
    wanted[BOARD_LOCK] = 0;
    for (uint8_t index = 0; erasesLocks && hasStorage() && index < hardware.count * 2; index++) {
        eraseLock(addressOf(BOARD_LOCK, index / 2, index % 2));
    }
}

bool hasStorage() { return (int)EEPROM.length() >= hardware.count * SLOTS * SLOT_SIZE; }

static bool isLockDamaged(uint8_t actuator) {
    return hasMark(addressOf(BOARD_LOCK, actuator, 0)) ||
           hasMark(addressOf(BOARD_LOCK, actuator, 1));
}

bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    uint8_t which;
    if (!hasStorage()) {
        return false;
    }
    if (!find(record, actuator, size, &which)) {
        bytes[LOCK_KIND] = LOCK_DAMAGED;
        return record == BOARD_LOCK && isLockDamaged(actuator);
    }
    int address = addressOf(record, actuator, which);
    bool isRight = true;
    for (uint8_t index = 0; index < size; index++) {
        bytes[index] = EEPROM.read(address + 1 + index);
    }
    for (uint8_t index = 0; index < size; index++) {
        isRight = isRight && EEPROM.read(address + 1 + index) == bytes[index];
    }
    if (!isRight) {
        bytes[LOCK_KIND] = LOCK_DAMAGED;
    }
    return isRight || record == BOARD_LOCK;
}

/* ---- Saving ------------------------------------------------------------------------------ */

static uint8_t sizeOf(enum board_record record) {
    return record == BOARD_LOCK ? LOCK_SIZE : CONFIGURATION_SIZE;
}

static const uint8_t *bytesOf(enum board_record record, uint8_t actuator) {
    return record == BOARD_LOCK ? bridge_lock(&port_bridge, actuator)->bytes
                                : bridge_configuration(&port_bridge, actuator)->bytes;
}

bool board_store(enum board_record record, uint8_t actuator, const uint8_t *, uint8_t) {
    wanted[record] = (uint8_t)(wanted[record] | 1u << actuator);
    return true;
}

/* True if a slot contains the record that is in RAM. */
static bool holds(int address, enum board_record record, uint8_t actuator) {
    const uint8_t *bytes = bytesOf(record, actuator);
    for (uint8_t index = 0; index < sizeOf(record); index++) {
        if (EEPROM.read(address + 1 + index) != bytes[index]) {
            return false;
        }
    }
    return isGood(address, sizeOf(record)) && (record != BOARD_LOCK || hasMark(address));
}

/* Returns the size of a record in its slot. */
static uint8_t storedSizeOf(enum board_record record) {
    return (uint8_t)(sizeOf(record) + OVERHEAD + (record == BOARD_LOCK ? sizeof mark : 0));
}

/* Returns the next byte of a slot. The CRC covers all bytes that precede it. */
static uint8_t nextByte() {
    uint8_t size = sizeOf(save.record);
    if (save.written == 0) {
        return save.number;
    }
    if (save.written <= size) {
        return bytesOf(save.record, save.actuator)[save.written - 1];
    }
    if (save.written >= size + OVERHEAD) {
        return mark[save.written - size - OVERHEAD];
    }
    uint16_t crc = LAYOUT;
    for (uint8_t index = 0; index <= size; index++) {
        crc = update(crc, EEPROM.read(save.address + index));
    }
    return (uint8_t)(save.written == size + 1 ? crc : crc >> 8);
}

/* The following functions begin to write a record, unless it is already stored. */

static void beginLock(uint8_t actuator, uint8_t which) {
    for (; which < 2; which++) {
        int address = addressOf(BOARD_LOCK, actuator, which);
        if (!holds(address, BOARD_LOCK, actuator)) {
            save = {TRIES_MAX, BOARD_LOCK, actuator, 0, address, 0};
            return;
        }
    }
}

static void beginConfiguration(uint8_t actuator) {
    uint8_t which = 1;
    bool isStored = find(BOARD_CONFIGURATION, actuator, CONFIGURATION_SIZE, &which);
    int newest = addressOf(BOARD_CONFIGURATION, actuator, which);
    if (isStored && holds(newest, BOARD_CONFIGURATION, actuator)) {
        return;
    }
    uint8_t number = (uint8_t)(isStored ? EEPROM.read(newest) + 1 : 0);
    int address = addressOf(BOARD_CONFIGURATION, actuator, (uint8_t)!which);
    save = {TRIES_MAX, BOARD_CONFIGURATION, actuator, number, address, 0};
}

static void beginNext() {
    for (uint8_t index = 0; index < hardware.count * 2; index++) {
        enum board_record record = index % 2 ? BOARD_CONFIGURATION : BOARD_LOCK;
        uint8_t bit = (uint8_t)(1u << (index / 2));
        if (wanted[record] & bit) {
            wanted[record] = (uint8_t)(wanted[record] & ~bit);
            if (record == BOARD_LOCK) {
                beginLock(index / 2, 0);
            } else {
                beginConfiguration(index / 2);
            }
            return;
        }
    }
}

/* Ends a save. If the record was replaced in the meantime, or if the cells do not contain the
   record, writes the record again. Then writes a lock to its second slot, even if the first slot
   does not contain the lock. */
static void finish() {
    bool isStored = holds(save.address, save.record, save.actuator);
    save.written = 0;
    save.tries = isStored ? 0 : (uint8_t)(save.tries - 1);
    if (save.tries) {
        return;
    }
    if (!isStored) {
        bridge_storage_failed(&port_bridge);
    }
    if (save.record == BOARD_LOCK && save.address == addressOf(BOARD_LOCK, save.actuator, 0)) {
        beginLock(save.actuator, 1);
    }
}

static bool isReady() {
#ifdef __AVR__
    return eeprom_is_ready();
#else
    return true;
#endif
}

/* Writes one byte. On an AVR, the call returns immediately, and the EEPROM then writes the byte. */
void pollStorage() {
    if (!isReady()) {
        return;
    }
    if (!save.tries) {
        beginNext();
    } else if (save.written < storedSizeOf(save.record)) {
        EEPROM.update(save.address + save.written, nextByte());
        save.written++;
    } else {
        finish();
    }
}

#endif
