#include "storage_sector.h"

#include <stddef.h>

#include "../../core/link/frame.h"

/* The address of the first sector. The sectors are the last sectors in the first 2 MB of the flash.
   The boot ROM erases these sectors only if an image extends into them. */
#define FIRST_SECTOR (0x200000u - SECTOR_COUNT * FLASH_SECTOR_SIZE)

/* The version of the layout. The version is the initial value of the checksums, so that a record in
   another layout fails its check. */
#define LAYOUT 3u

/* The number of attempts to read a record before a wrong checksum is considered final. */
#define READS 3

uint32_t sector_address(uint8_t number) { return FIRST_SECTOR + number * FLASH_SECTOR_SIZE; }

/* ---- Slots ---------------------------------------------------------------------------------- */

uint32_t slot_address(const struct sector *sector, uint8_t at) {
    return sector_address(sector->number) + at * (uint32_t)sizeof(struct slot);
}

static uint32_t slot_crc(const struct slot *slot) {
    const uint8_t *byte = (const uint8_t *)slot;
    uint32_t crc = BRIDGE_CRC_INIT ^ LAYOUT;
    for (uint8_t left = offsetof(struct slot, mark); left; left--) {
        crc = frame_crc_update(crc, *byte++);
    }
    return crc;
}

void slot_fill(struct slot *slot, uint8_t kind, uint8_t actuator, const uint8_t *bytes,
               uint8_t size) {
    *slot = (struct slot){.kind = kind, .actuator = actuator, .mark = SLOT_WHOLE};
    for (uint8_t index = 0; index < size; index++) {
        slot->bytes[index] = bytes[index];
    }
    slot->crc = slot_crc(slot);
}

void slot_fill_header(struct slot *slot, uint32_t generation) {
    uint8_t bytes[] = {(uint8_t)generation, (uint8_t)(generation >> 8), (uint8_t)(generation >> 16),
                       (uint8_t)(generation >> 24)};
    slot_fill(slot, SLOT_HEADER, 0, bytes, sizeof bytes);
}

void slot_read(const struct sector *sector, uint8_t at, struct slot *slot) {
    flash_read(slot_address(sector, at), slot, sizeof *slot);
}

bool slots_are_equal(const struct slot *a, const struct slot *b) {
    const uint8_t *first = (const uint8_t *)a;
    const uint8_t *second = (const uint8_t *)b;
    for (uint8_t left = sizeof *a; left; left--) {
        if (*first++ != *second++) {
            return false;
        }
    }
    return true;
}

static bool is_erased(const struct slot *slot) {
    const uint8_t *byte = (const uint8_t *)slot;
    for (uint8_t left = sizeof *slot; left; left--) {
        if (*byte++ != SLOT_ERASED) {
            return false;
        }
    }
    return true;
}

/* True if a slot contains a record of an actuator that this image supports. Records of further
   actuators, which an image for more actuators may have stored, are ignored. */
static bool is_record(const struct slot *slot) {
    return slot->kind < SLOT_RECORD_KINDS && slot->actuator < BRIDGE_ACTUATOR_COUNT &&
           slot->crc == slot_crc(slot);
}

bool slot_read_record(const struct sector *sector, uint8_t at, struct slot *slot) {
    for (uint8_t tries = READS; tries; tries--) {
        slot_read(sector, at, slot);
        if (is_record(slot)) {
            return true;
        }
    }
    return false;
}

/* ---- Sectors -------------------------------------------------------------------------------- */

uint32_t sector_generation(uint8_t number) {
    const struct sector sector = {.number = number};
    struct slot header;
    slot_read(&sector, 0, &header);
    if (header.kind != SLOT_HEADER || header.crc != slot_crc(&header)) {
        return 0;
    }
    return (uint32_t)(header.bytes[0] | header.bytes[1] << 8 | header.bytes[2] << 16) |
           (uint32_t)header.bytes[3] << 24;
}

/* Finds the records. If the mark of a slot is complete but the checksum is wrong, the slot was
   damaged after it had been written. */
bool sector_find_records(struct sector *sector) {
    bool has_any = false;
    struct slot slot;
    uint8_t damaged = 0;
    for (uint8_t at = 1; at < SLOT_COUNT; at++) {
        slot_read(sector, at, &slot);
        if (!is_erased(&slot)) {
            sector->next = (uint8_t)(at + 1);
        }
        if (is_record(&slot)) {
            sector->slots[slot.kind][slot.actuator] = at;
            has_any = true;
        } else if (slot.mark == SLOT_WHOLE && slot.crc != slot_crc(&slot)) {
            sector->lost = damaged;
            damaged = at;
        }
    }
    return has_any;
}

bool sector_is_erased(uint8_t number) {
    const struct sector sector = {.number = number};
    struct slot slot;
    for (uint8_t at = 0; at < SLOT_COUNT; at++) {
        slot_read(&sector, at, &slot);
        if (!is_erased(&slot)) {
            return false;
        }
    }
    return true;
}
