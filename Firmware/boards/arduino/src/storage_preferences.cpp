#include "board.h"
#include "platform.h"

#ifdef HAPTIC_BRIDGE_HAS_PREFERENCES

#include <Preferences.h>

static Preferences preferences;
static bool isOpen;

/* Named after the kind of the record and the actuator: "c0", "l0" and so on. */
struct Key {
    char text[3];

    Key(enum board_record record, uint8_t actuator) {
        text[0] = record == BOARD_LOCK ? 'l' : 'c';
        text[1] = (char)('0' + actuator);
        text[2] = '\0';
    }
};

void startStorage(bool erasesLocks) {
    isOpen = isOpen || preferences.begin("hapticbridge", false);
    for (uint8_t index = 0; erasesLocks && index < hardware.count; index++) {
        preferences.remove(Key(BOARD_LOCK, index).text);
    }
}

bool hasStorage() { return isOpen; }

/* A record is stored at once: the core asks for it only while all actuators rest. */
void pollStorage() {}

bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    Key key(record, actuator);
    return isOpen && preferences.getBytesLength(key.text) == size &&
           preferences.getBytes(key.text, bytes, size) == size;
}

bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    return preferences.putBytes(Key(record, actuator).text, bytes, size) == size;
}

#endif
