#include "storage.h"

#include <stddef.h>

#include "../../core/link/frame.h"
#include "../common/port.h"
#include "board.h"
#include "flash.h"
#include "pins.h"

/* The first of the two sectors. The boot ROM erases them only for an image that reaches so far. */
#define SECTORS (0x200000u - 2 * FLASH_SECTOR_SIZE)

/* The version of the layout. CRCs start from it, so that a record of another layout is not good. */
#define LAYOUT 3u

/* A flash that has not ended its work after this time never will. */
#define WORK_MAX_US 1000000u

/* The times that a record is read whose check sum is wrong. */
#define READS 3

/* Records that do not read as they were written, since one has been stored: after the first number
   of them the sector in use is moved from, after the second the memory is given up. */
#define FAILURES_OF_SECTOR 3
#define FAILURES_MAX 6

/* Kinds of slots: the records of board_hal.h, a second copy of a lock, the header of a sector, and
   an erased one. */
#define LOCK_COPY 2
#define RECORDS 3
#define HEADER 3
#define ERASED 0xff

/* What a sector consists of. The first slot is its header, which is written last, so that a sector
   counts as a whole or not at all. */
struct slot {
    uint8_t kind;
    uint8_t actuator;
    uint8_t bytes[CONFIGURATION_SIZE]; /**< of a header: the generation */
    uint16_t mark;                     /**< WHOLE once the rest has been read back */
    uint32_t crc;                      /**< of what precedes the mark */
};
#define SLOTS (FLASH_SECTOR_SIZE / sizeof(struct slot))
_Static_assert(sizeof(struct slot) == 64, "slots do not cross a page");

/* The mark tells a slot that was damaged from one whose writing a loss of power has cut short. */
#define UNMARKED 0xffff
#define WHOLE 0x4cb2

/* A sector, and the slots of its records; 0: there is none. */
struct sector {
    uint8_t number; /**< 0 or 1 */
    uint8_t next;   /**< the first slot that is erased; 0: the sector does not count */
    uint8_t lost;   /**< the last but one of the slots that were damaged */
    uint8_t places[RECORDS][BRIDGE_ACTUATOR_COUNT];
};

static struct sector current;
static struct sector moved; /**< what `current` is moving to */
static bool is_moving;
static uint32_t generation;
static bool are_erased[2]; /**< the sectors that hold nothing at all */
static bool erases_spare;  /**< as long as nothing is to be stored */

static struct slot wanted[RECORDS][BRIDGE_ACTUATOR_COUNT];
static bool is_wanted[RECORDS][BRIDGE_ACTUATOR_COUNT];
static bool is_any_wanted; /**< false only if none is */

static bool is_working;     /**< the flash erases or writes */
static uint32_t working_us; /**< since when */
static struct slot written; /**< a record that is being written, at `written_at` */
static uint32_t written_at; /**< 0: none */
static uint8_t failures;

/* ---- Slots ---------------------------------------------------------------------------------- */

static uint32_t address(const struct sector *sector, uint8_t slot) {
    return SECTORS + sector->number * FLASH_SECTOR_SIZE + slot * (uint32_t)sizeof(struct slot);
}

static uint32_t slot_crc(const struct slot *slot) {
    const uint8_t *byte = (const uint8_t *)slot;
    uint32_t crc = BRIDGE_CRC_INIT ^ LAYOUT;
    for (uint8_t left = offsetof(struct slot, mark); left; left--) {
        crc = frame_crc_update(crc, *byte++);
    }
    return crc;
}

static void read_slot(const struct sector *sector, uint8_t at, struct slot *slot) {
    flash_read(address(sector, at), slot, sizeof *slot);
}

static bool are_equal(const struct slot *a, const struct slot *b) {
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
        if (*byte++ != ERASED) {
            return false;
        }
    }
    return true;
}

/* ---- Finding -------------------------------------------------------------------------------- */

/* False for a record of an image with more actuators, too. */
static bool is_record(const struct slot *slot) {
    return slot->kind < RECORDS && slot->actuator < BRIDGE_ACTUATOR_COUNT &&
           slot->crc == slot_crc(slot);
}

/* Reads a record, again if what was read is none. Returns false if it stays so. */
static bool read_record(const struct sector *sector, uint8_t at, struct slot *slot) {
    for (uint8_t tries = READS; tries; tries--) {
        read_slot(sector, at, slot);
        if (is_record(slot)) {
            return true;
        }
    }
    return false;
}

/* Finds out where the records of a sector are: of several the last one counts. Returns false if
   there are none. */
static bool read_places(struct sector *sector) {
    bool has_any = false;
    struct slot slot;
    uint8_t damaged = 0;
    for (uint8_t at = 1; at < SLOTS; at++) {
        read_slot(sector, at, &slot);
        if (!is_erased(&slot)) {
            sector->next = (uint8_t)(at + 1);
        }
        if (is_record(&slot)) {
            sector->places[slot.kind][slot.actuator] = at;
            has_any = true;
        } else if (slot.mark == WHOLE && slot.crc != slot_crc(&slot)) {
            sector->lost = damaged;
            damaged = at;
        }
    }
    return has_any;
}

/* Reads the header of a sector, which counts if it is newer than what has been found. */
static void read_header(uint8_t number) {
    const struct sector sector = {.number = number, .next = 1};
    struct slot header;
    read_slot(&sector, 0, &header);
    uint32_t found = (uint32_t)(header.bytes[0] | header.bytes[1] << 8 | header.bytes[2] << 16) |
                     (uint32_t)header.bytes[3] << 24;
    if (header.kind == HEADER && header.crc == slot_crc(&header) && found > generation) {
        generation = found;
        current = sector;
    }
}

/* Without a header, a sector counts if it has records: its header was damaged. */
static void find_records(uint8_t number) {
    struct sector sector = {.number = number, .next = 1};
    if (read_places(&sector)) {
        current = sector;
    }
}

static uint8_t spare(void) { return current.next ? !current.number : 0; }

static bool find_erased(uint8_t number) {
    const struct sector sector = {.number = number};
    struct slot slot;
    for (uint8_t at = 0; at < SLOTS; at++) {
        read_slot(&sector, at, &slot);
        if (!is_erased(&slot)) {
            return false;
        }
    }
    return true;
}

void storage_start(void) {
    for (uint8_t number = 0; number < 2; number++) {
        read_header(number);
        are_erased[number] = find_erased(number);
    }
    if (current.next) {
        read_places(&current);
    }
    for (uint8_t number = 0; number < 2 && !current.next; number++) {
        find_records(number);
    }
    erases_spare = current.next && !are_erased[spare()];
}

/* The slot of the lock of an actuator that was written last; 0: there is none. */
static uint8_t newest_lock(uint8_t actuator) {
    uint8_t at = current.places[BOARD_LOCK][actuator];
    uint8_t copy = current.places[LOCK_COPY][actuator];
    return copy > at ? copy : at;
}

/* A lock is in two slots: if two slots that follow the last one are damaged, whatever they were,
   they may have been a newer lock. */
bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    uint8_t at = current.places[record][actuator];
    if (record == BOARD_LOCK) {
        at = newest_lock(actuator);
        if (current.lost > at) {
            bytes[LOCK_KIND] = LOCK_DAMAGED;
            return true;
        }
    }
    struct slot slot;
    if (!at) {
        return false;
    }
    if (!read_record(&current, at, &slot)) {
        bytes[LOCK_KIND] = LOCK_DAMAGED;
        return record == BOARD_LOCK;
    }
    for (uint8_t index = 0; index < size; index++) {
        bytes[index] = slot.bytes[index];
    }
    return true;
}

/* ---- Storing -------------------------------------------------------------------------------- */

static void fill(struct slot *slot, uint8_t kind, uint8_t actuator, const uint8_t *bytes,
                 uint8_t size) {
    *slot = (struct slot){.kind = kind, .actuator = actuator, .mark = WHOLE};
    for (uint8_t index = 0; index < size; index++) {
        slot->bytes[index] = bytes[index];
    }
    slot->crc = slot_crc(slot);
}

static void want(uint8_t kind, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    fill(&wanted[kind][actuator], kind, actuator, bytes, size);
    is_wanted[kind][actuator] = true;
    is_any_wanted = true;
}

bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    want((uint8_t)record, actuator, bytes, size);
    if (record == BOARD_LOCK) {
        want(LOCK_COPY, actuator, bytes, size);
    }
    return true;
}

/* A lock of zeros is none. */
bool board_erases_locks(void) {
    static const struct lock none;
    if (!pins_jumper_is_set()) {
        return false;
    }
    for (uint8_t actuator = 0; current.next && actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
        board_store(BOARD_LOCK, actuator, none.bytes, sizeof none.bytes);
    }
    return true;
}

static void begin_work(void) {
    is_working = true;
    working_us = board_now_us();
}

static void erase_spare(void) {
    flash_erase(SECTORS + spare() * FLASH_SECTOR_SIZE);
    begin_work();
    are_erased[spare()] = true;
    erases_spare = false;
}

static void write_slot(const struct sector *sector, uint8_t at) {
    are_erased[sector->number] = false;
    written.mark = UNMARKED;
    written_at = address(sector, at);
    flash_write(written_at, &written, sizeof written);
    begin_work();
}

/* Marks what has been written as whole. */
static void write_mark(void) {
    written.mark = WHOLE;
    flash_write(written_at + offsetof(struct slot, mark), &written.mark, sizeof written.mark);
    begin_work();
}

static void begin_moving(void) {
    is_moving = true;
    moved = (struct sector){.number = spare(), .next = 1};
}

/* Makes the record that is to be moved; false if there is none. A lock is moved as the core has it,
   to both of its slots: an older copy, or none, would count if power failed before the new one is
   stored, and what the flash has may be damaged by now. */
static bool make_moving(uint8_t kind, uint8_t actuator) {
    if (kind == BOARD_CONFIGURATION) {
        uint8_t from = current.places[kind][actuator];
        return from && read_record(&current, from, &written);
    }
    if (is_wanted[kind][actuator]) {
        written = wanted[kind][actuator];
        return true;
    }
    if (!newest_lock(actuator)) {
        return false;
    }
    fill(&written, kind, actuator, bridge_lock(&port_bridge, actuator)->bytes, LOCK_SIZE);
    return true;
}

/* Moves the next record, the locks first. When all are moved, the header makes the other sector
   count. */
static void move_record(void) {
    if (moved.next == 1 && !are_erased[moved.number]) {
        erase_spare();
        return;
    }
    for (uint8_t kind = RECORDS; kind-- > 0;) {
        for (uint8_t actuator = 0; actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
            if (!moved.places[kind][actuator] && make_moving(kind, actuator)) {
                write_slot(&moved, moved.next);
                return;
            }
        }
    }
    uint32_t next = generation + 1;
    written = (struct slot){
        .kind = HEADER,
        .bytes = {(uint8_t)next, (uint8_t)(next >> 8), (uint8_t)(next >> 16),
                  (uint8_t)(next >> 24)},
    };
    written.crc = slot_crc(&written);
    write_slot(&moved, 0);
}

/* What is stored already is not written again (SPEC 8.5): a sector withstands 100,000 erasures. */
static void store(uint8_t kind, uint8_t actuator) {
    struct slot stored = {.kind = ERASED};
    uint8_t at = current.places[kind][actuator];
    if (at) {
        read_slot(&current, at, &stored);
    }
    if (are_equal(&stored, &wanted[kind][actuator])) {
        is_wanted[kind][actuator] = false;
    } else if (!current.next || current.next == SLOTS) {
        begin_moving();
    } else {
        written = wanted[kind][actuator];
        write_slot(&current, current.next);
    }
}

/* Stores the next record that is wanted. Returns false if there is none. */
static bool store_next(void) {
    if (!is_any_wanted) {
        return false;
    }
    for (uint8_t kind = 0; kind < RECORDS; kind++) {
        for (uint8_t actuator = 0; actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
            if (is_wanted[kind][actuator]) {
                store(kind, actuator);
                return true;
            }
        }
    }
    is_any_wanted = false;
    return false;
}

/* ---- Results -------------------------------------------------------------------------------- */

static void give_up(void) {
    for (uint8_t actuator = 0; actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
        for (uint8_t kind = 0; kind < RECORDS; kind++) {
            is_wanted[kind][actuator] = false;
        }
    }
    is_moving = false;
    is_working = false;
    written_at = 0;
    failures = 0;
    bridge_storage_failed(&port_bridge);
}

static void finish_record(struct sector *sector) {
    if (written.kind == HEADER) {
        current = moved;
        generation++;
        is_moving = false;
        erases_spare = !are_erased[spare()];
    } else {
        sector->places[written.kind][written.actuator] = sector->next++;
    }
}

/* Compares what has been written with what the flash holds. A slot that does not hold it is left
   out. Records that have been moved do not end the count of failures: of two sectors that hold
   some slots but not what is wanted, each would be moved to the other for ever. */
static void check_record(void) {
    struct sector *sector = is_moving ? &moved : &current;
    struct slot slot;
    flash_read(written_at, &slot, sizeof slot);
    if (are_equal(&slot, &written) && written.mark == UNMARKED) {
        write_mark();
        return;
    }
    written_at = 0;
    if (are_equal(&slot, &written)) {
        failures = is_moving ? failures : 0;
        finish_record(sector);
    } else if (++failures == FAILURES_MAX || written.kind == HEADER) {
        give_up();
    } else if (failures == FAILURES_OF_SECTOR && !is_moving) {
        begin_moving();
    } else {
        sector->next++;
    }
}

void storage_poll(void) {
    if (is_working) {
        if (!flash_is_busy()) {
            is_working = false;
        } else if (board_now_us() - working_us > WORK_MAX_US) {
            give_up();
        }
    } else if (written_at) {
        check_record();
    } else if (is_moving) {
        move_record();
    } else if (!store_next() && erases_spare) {
        erase_spare();
    }
}
