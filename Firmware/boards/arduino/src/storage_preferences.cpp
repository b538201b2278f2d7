#include "board.h"
#include "platform.h"

#ifdef HAPTIC_BRIDGE_HAS_PREFERENCES

#include <Preferences.h>

static Preferences preferences;
static bool isOpen;

/* The records of each actuator: its configuration, its lock, a copy of the lock, and a flag that
   indicates that the actuator has a lock. The flag is needed because NVS erases records whose
   checksums are wrong. */
enum Kind : char { configurationKind = 'c', lockKind = 'l', copyKind = 'm', witnessKind = 'w' };

/* The key of a record: its kind and the number of the actuator, as in "c0" and "l0". */
struct Key {
    char text[3];

    Key(Kind kind, uint8_t actuator) {
        text[0] = kind;
        text[1] = (char)('0' + actuator);
        text[2] = '\0';
    }
};

void startStorage(bool erasesLocks) {
    for (uint8_t tries = 3; !isOpen && tries; tries--) {
        isOpen = preferences.begin("hapticbridge", false);
    }
    for (uint8_t index = 0; erasesLocks && index < hardware.count; index++) {
        preferences.remove(Key(lockKind, index).text);
        preferences.remove(Key(copyKind, index).text);
        preferences.remove(Key(witnessKind, index).text);
    }
}

bool hasStorage() { return isOpen; }

/* Does nothing, because each record is stored immediately: the core requests storage only while all
   actuators are at rest. */
void pollStorage() {}

static bool load(Kind kind, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    Key key(kind, actuator);
    return preferences.getBytesLength(key.text) == size &&
           preferences.getBytes(key.text, bytes, size) == size;
}

static bool loadLock(uint8_t actuator, uint8_t *bytes, uint8_t size) {
    if (load(lockKind, actuator, bytes, size) || load(copyKind, actuator, bytes, size)) {
        return true;
    }
    bytes[LOCK_KIND] = LOCK_DAMAGED;
    return preferences.isKey(Key(lockKind, actuator).text) ||
           preferences.isKey(Key(copyKind, actuator).text) ||
           preferences.isKey(Key(witnessKind, actuator).text);
}

/* Loads a record. If the memory cannot be opened, every lock is considered damaged, because the
   memory may contain locks. */
bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    if (!isOpen && record == BOARD_LOCK) {
        bytes[LOCK_KIND] = LOCK_DAMAGED;
        return true;
    }
    return isOpen && (record == BOARD_LOCK ? loadLock(actuator, bytes, size)
                                           : load(configurationKind, actuator, bytes, size));
}

/* Stores a record, unless it is already stored. */
static bool store(Kind kind, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    uint8_t stored[CONFIGURATION_SIZE];
    return (load(kind, actuator, stored, size) && memcmp(stored, bytes, size) == 0) ||
           preferences.putBytes(Key(kind, actuator).text, bytes, size) == size;
}

bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    if (record == BOARD_CONFIGURATION) {
        return store(configurationKind, actuator, bytes, size);
    }
    static const uint8_t witness = 1;
    return store(lockKind, actuator, bytes, size) && store(copyKind, actuator, bytes, size) &&
           store(witnessKind, actuator, &witness, sizeof witness);
}

#endif
