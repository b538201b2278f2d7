/*
 * The layout of storage: a sector of the flash is an array of slots. The first slot is the header
 * of the sector; each other slot contains a record or is erased.
 */
#ifndef STORAGE_SECTOR_H
#define STORAGE_SECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "flash.h"

/** The number of sectors that storage uses. */
#define SECTOR_COUNT 2

/** Kinds of slots: the records of board_hal.h, a second copy of a lock, the header of a sector, and
    an erased slot. */
enum slot_kind {
    SLOT_CONFIGURATION = BOARD_CONFIGURATION,
    SLOT_LOCK = BOARD_LOCK,
    SLOT_LOCK_COPY,
    SLOT_RECORD_KINDS,
    SLOT_HEADER = SLOT_RECORD_KINDS,
    SLOT_ERASED = 0xff,
};

struct slot {
    uint8_t kind; /**< enum slot_kind */
    uint8_t actuator;
    uint8_t bytes[CONFIGURATION_SIZE]; /**< the record, or the generation in a header */
    uint16_t mark;                     /**< SLOT_WHOLE once the other fields have been read back */
    uint32_t crc;                      /**< the CRC of the fields before `mark` */
};

#define SLOT_COUNT (FLASH_SECTOR_SIZE / sizeof(struct slot))
_Static_assert(sizeof(struct slot) == 64, "slots must not cross a page");

/** Marks, which distinguish a damaged slot from a slot that a loss of power has left incomplete. */
#define SLOT_UNMARKED 0xffff
#define SLOT_WHOLE 0x4cb2

/** A sector, and the slots of its newest records; slot 0 means no record. */
struct sector {
    uint8_t number; /**< less than SECTOR_COUNT */
    uint8_t next;   /**< the first erased slot; 0 if the sector is not in use */
    uint8_t lost;   /**< the second-to-last damaged slot; 0 if fewer than two slots are damaged */
    uint8_t slots[SLOT_RECORD_KINDS][BRIDGE_ACTUATOR_COUNT];
};

/** Returns the address of a sector in the flash. */
uint32_t sector_address(uint8_t number);

/** Returns the address of a slot in the flash. */
uint32_t slot_address(const struct sector *sector, uint8_t at);

/** Fills a slot with a record. */
void slot_fill(struct slot *slot, uint8_t kind, uint8_t actuator, const uint8_t *bytes,
               uint8_t size);

/** Fills a slot with the header of a sector. */
void slot_fill_header(struct slot *slot, uint32_t generation);

/** Reads a slot from the flash. */
void slot_read(const struct sector *sector, uint8_t at, struct slot *slot);

/** Returns true if two slots contain the same bytes. */
bool slots_are_equal(const struct slot *a, const struct slot *b);

/** Reads a record, and repeats the read if the checksum is wrong. Returns false if the checksum is
    wrong in every read. */
bool slot_read_record(const struct sector *sector, uint8_t at, struct slot *slot);

/** Reads the header of a sector. Returns its generation, or 0 if the sector has no header. */
uint32_t sector_generation(uint8_t number);

/** Finds the newest records of a sector, and its first erased slot. Returns false if the sector has
    no records. */
bool sector_find_records(struct sector *sector);

/** Returns true if every slot of a sector is erased. */
bool sector_is_erased(uint8_t number);

#endif
