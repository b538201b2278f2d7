#include "storage.h"

#include <avr/eeprom.h>
#include <avr/io.h>
#include <stddef.h>
#include <string.h>

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
#define CRC_AT offsetof(struct record, crc)

/* The EEPROM from address 0 on. */
static EEMEM struct {
    uint64_t id;
    struct record places[PLACES];
} stored;

static uint8_t newest;   /**< place of the record that counts */
static uint8_t sequence; /**< its sequence */
static bool is_saving;

/* The register of the CRC after the first `length` bytes. */
BRIDGE_OUTLINE static uint32_t sum(const struct record *record, uint8_t length) {
    uint32_t register_value = BRIDGE_CRC_INIT;
    for (const uint8_t *at = (const uint8_t *)record; length; length--) {
        frame_crc_add(&register_value, *at++);
    }
    return register_value;
}

/* 0: none was given (an erased EEPROM). */
static void load_id(uint64_t *id) {
    eeprom_read_block(id, &stored.id, sizeof *id);
    uint8_t common = UINT8_MAX;
    for (uint8_t index = 0; index < sizeof *id; index++) {
        common &= ((const uint8_t *)id)[index];
    }
    if (common == UINT8_MAX) {
        memset(id, 0, sizeof *id);
    }
}

static void load_configuration(void) {
    struct record record;
    bool found = false;
    for (uint8_t place = 0; place < PLACES; place++) {
        eeprom_read_block(&record, &stored.places[place], sizeof record);
        if (record.version == VERSION && sum(&record, sizeof record) == BRIDGE_CRC_RESIDUE &&
            (!found || (int8_t)(record.sequence - sequence) > 0)) {
            found = true;
            newest = place;
            sequence = record.sequence;
            bridge_load(&board_bridge, 0, &record.configuration);
        }
    }
}

void storage_load(void) {
    load_id(&board_bridge.board.board_id);
    load_configuration();
}

/* Writes the first byte that is not as it shall be: a configuration that is replaced meanwhile is
   no special case. The CRC comes last, and is worked out only then. */
void storage_poll(void) {
    uint8_t actuator;
    if (!eeprom_is_ready()) {
        return;
    }
    if (bridge_take_save(&board_bridge, &actuator)) {
        is_saving = true;
    }
    if (!is_saving) {
        return;
    }
    uint8_t place = newest ^ 1;
    struct record record;
    record.version = VERSION;
    record.sequence = (uint8_t)(sequence + 1);
    record.configuration = board_bridge.actuators[0].configuration;
    for (uint8_t offset = 0; offset < sizeof record; offset++) {
        if (offset == CRC_AT) {
            record.crc = ~sum(&record, CRC_AT);
        }
        uint8_t byte = ((const uint8_t *)&record)[offset];
        uint8_t *at = (uint8_t *)&stored.places[place] + offset;
        if (eeprom_read_byte(at) != byte) {
            eeprom_write_byte(at, byte);
            return;
        }
    }
    is_saving = false;
    newest = place;
    sequence = record.sequence;
}
