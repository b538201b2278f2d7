#include "storage.h"

#include <avr/eeprom.h>
#include <avr/io.h>
#include <stddef.h>

#include "board.h"

#define VERSION 1

/* As it lies in the EEPROM. */
struct record {
    uint8_t version;
    uint8_t sequence; /**< the newer of two records counts on from the older */
    struct configuration configuration;
    uint32_t crc; /**< CRC-32C of all before */
};

#define PLACES 2
#define CONFIGURATION_AT offsetof(struct record, configuration)
#define CRC_AT offsetof(struct record, crc)

static EEMEM uint64_t stored_id;
static EEMEM struct record places[PLACES];

static uint8_t newest;                      /**< place of the record that counts */
static uint8_t sequence;                    /**< its sequence */
static uint8_t position = sizeof places[0]; /**< next byte to save; its size: no save runs */
static uint32_t crc;                        /**< of the record that is being saved */

BRIDGE_OUTLINE static uint8_t read(uint8_t place, uint8_t offset) {
    return eeprom_read_byte((const uint8_t *)&places[place] + offset);
}

/* The register of the CRC after the first `length` bytes of a record. */
BRIDGE_OUTLINE static uint32_t sum(uint8_t place, uint8_t length) {
    uint32_t register_value = BRIDGE_CRC_INIT;
    for (uint8_t offset = 0; offset < length; offset++) {
        frame_crc_add(&register_value, read(place, offset));
    }
    return register_value;
}

uint64_t storage_board_id(void) {
    uint64_t id;
    eeprom_read_block(&id, &stored_id, sizeof id);
    uint8_t common = UINT8_MAX;
    for (uint8_t index = 0; index < sizeof id; index++) {
        common &= ((const uint8_t *)&id)[index];
    }
    return common == UINT8_MAX ? 0 : id;
}

void storage_load(void) {
    bool found = false;
    for (uint8_t place = 0; place < PLACES; place++) {
        uint8_t candidate = read(place, offsetof(struct record, sequence));
        if (read(place, 0) == VERSION && sum(place, sizeof places[0]) == BRIDGE_CRC_RESIDUE &&
            (!found || (int8_t)(candidate - sequence) > 0)) {
            found = true;
            newest = place;
            sequence = candidate;
        }
    }
    if (found) {
        struct configuration configuration;
        eeprom_read_block(&configuration, &places[newest].configuration, sizeof configuration);
        bridge_load(&board_bridge, 0, &configuration);
    }
}

/* The byte of the record that is being saved. */
BRIDGE_OUTLINE static uint8_t byte_at(uint8_t offset) {
    if (offset == 0) {
        return VERSION;
    }
    if (offset == offsetof(struct record, sequence)) {
        return (uint8_t)(sequence + 1);
    }
    if (offset < CRC_AT) {
        return board_bridge.actuators[0].configuration.bytes[offset - CONFIGURATION_AT];
    }
    return ((const uint8_t *)&crc)[offset - CRC_AT];
}

/* A configuration that was replaced meanwhile: again from the beginning. */
static bool is_saved(uint8_t place) {
    for (uint8_t offset = 0; offset < CRC_AT; offset++) {
        if (read(place, offset) != byte_at(offset)) {
            return false;
        }
    }
    return true;
}

void storage_poll(void) {
    uint8_t actuator;
    if (!eeprom_is_ready()) {
        return;
    }
    if (bridge_take_save(&board_bridge, &actuator)) {
        position = 0;
    }
    if (position == sizeof places[0]) {
        return;
    }
    uint8_t place = newest ^ 1;
    if (position == CRC_AT) {
        if (!is_saved(place)) {
            position = 0;
            return;
        }
        crc = ~sum(place, CRC_AT);
    }
    eeprom_write_byte((uint8_t *)&places[place] + position, byte_at(position));
    if (++position == sizeof places[0]) {
        newest = place;
        sequence++;
    }
}
