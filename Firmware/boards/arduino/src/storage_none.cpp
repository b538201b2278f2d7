#include "board.h"
#include "platform.h"

#if !defined(HAPTIC_BRIDGE_HAS_PREFERENCES) && !defined(HAPTIC_BRIDGE_HAS_EEPROM)

/* Stubs for a board that does not offer SAVE and LOCK. On such a board, the core never requests
   that a record be stored. */
void startStorage(bool) {}

bool hasStorage() { return false; }

void pollStorage() {}

bool board_load(enum board_record, uint8_t, uint8_t *, uint8_t) { return false; }

bool board_store(enum board_record, uint8_t, const uint8_t *, uint8_t) { return false; }

#endif
