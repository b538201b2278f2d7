#include "storage.h"

#include <stddef.h>

#include "../common/port.h"
#include "board.h"
#include "pins.h"
#include "storage_sector.h"

/* The time after which a flash that has not finished an operation is considered failed. */
#define BUSY_MAX_US 1000000u

/* Limits for the number of records that have failed verification since a record was last stored. At
   the first limit, the active sector is replaced; at the second limit, the pending records are
   discarded. */
#define FAILURES_OF_SECTOR 3
#define FAILURES_MAX 6

/*
 * The state of storage. Records are appended to the active sector. When the active sector is full,
 * the newest records move to the target, which is the spare sector. The target then becomes the
 * active sector.
 */
static struct {
    struct sector active;
    uint32_t generation;          /**< generation of the active sector */
    bool is_erased[SECTOR_COUNT]; /**< true for each sector that is erased */
    bool must_erase_spare; /**< true if the spare sector must be erased once no record is pending */

    bool is_moving;
    struct sector target;

    struct slot pending[SLOT_RECORD_KINDS][BRIDGE_ACTUATOR_COUNT];
    bool is_pending[SLOT_RECORD_KINDS][BRIDGE_ACTUATOR_COUNT];
    bool has_pending; /**< false only if no record is pending */

    bool is_busy; /**< the flash is erasing or writing */
    uint32_t busy_since_us;
    struct slot written; /**< the slot that is being written */
    uint32_t written_at; /**< address of that slot; 0: none */
    uint8_t failures;
} storage;

/* ---- Finding -------------------------------------------------------------------------------- */

static uint8_t spare_number(void) { return storage.active.next ? !storage.active.number : 0; }

/* Finds the active sector: the sector whose header has the greatest generation. If no sector has a
   header, a sector with records is active: its header was damaged. */
static void find_active(void) {
    for (uint8_t number = 0; number < SECTOR_COUNT; number++) {
        uint32_t generation = sector_generation(number);
        if (generation > storage.generation) {
            storage.generation = generation;
            storage.active = (struct sector){.number = number, .next = 1};
        }
    }
    if (storage.active.next) {
        sector_find_records(&storage.active);
    }
    for (uint8_t number = 0; number < SECTOR_COUNT && !storage.active.next; number++) {
        struct sector sector = {.number = number, .next = 1};
        if (sector_find_records(&sector)) {
            storage.active = sector;
        }
    }
}

void storage_start(void) {
    for (uint8_t number = 0; number < SECTOR_COUNT; number++) {
        storage.is_erased[number] = sector_is_erased(number);
    }
    find_active();
    storage.must_erase_spare = storage.active.next && !storage.is_erased[spare_number()];
}

/* Returns the slot in which the lock of an actuator was last written; 0 if the actuator has no
   lock. */
static uint8_t newest_lock(uint8_t actuator) {
    uint8_t at = storage.active.slots[SLOT_LOCK][actuator];
    uint8_t copy = storage.active.slots[SLOT_LOCK_COPY][actuator];
    return copy > at ? copy : at;
}

/* Loads a record. A lock is written to two slots. If two slots after the newest lock are damaged,
   these slots may have contained a newer lock; the lock is then considered damaged. */
bool board_load(enum board_record record, uint8_t actuator, uint8_t *bytes, uint8_t size) {
    uint8_t at = storage.active.slots[record][actuator];
    if (record == BOARD_LOCK) {
        at = newest_lock(actuator);
        if (storage.active.lost > at) {
            bytes[LOCK_KIND] = LOCK_DAMAGED;
            return true;
        }
    }
    struct slot slot;
    if (!at) {
        return false;
    }
    if (!slot_read_record(&storage.active, at, &slot)) {
        bytes[LOCK_KIND] = LOCK_DAMAGED;
        return record == BOARD_LOCK;
    }
    for (uint8_t index = 0; index < size; index++) {
        bytes[index] = slot.bytes[index];
    }
    return true;
}

/* ---- Storing -------------------------------------------------------------------------------- */

static void request(uint8_t kind, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    slot_fill(&storage.pending[kind][actuator], kind, actuator, bytes, size);
    storage.is_pending[kind][actuator] = true;
    storage.has_pending = true;
}

bool board_store(enum board_record record, uint8_t actuator, const uint8_t *bytes, uint8_t size) {
    request((uint8_t)record, actuator, bytes, size);
    if (record == BOARD_LOCK) {
        request(SLOT_LOCK_COPY, actuator, bytes, size);
    }
    return true;
}

/* Returns whether the jumper is set. If the jumper is set, the function replaces the stored locks
   with locks of zeros, which set no limits. */
bool board_erases_locks(void) {
    static const struct lock none;
    if (!pins_jumper_is_set()) {
        return false;
    }
    for (uint8_t actuator = 0; storage.active.next && actuator < BRIDGE_ACTUATOR_COUNT;
         actuator++) {
        board_store(BOARD_LOCK, actuator, none.bytes, sizeof none.bytes);
    }
    return true;
}

static void begin_operation(void) {
    storage.is_busy = true;
    storage.busy_since_us = board_now_us();
}

static void erase_spare(void) {
    flash_erase(sector_address(spare_number()));
    begin_operation();
    storage.is_erased[spare_number()] = true;
    storage.must_erase_spare = false;
}

static void write_slot(const struct sector *sector, uint8_t at) {
    storage.is_erased[sector->number] = false;
    storage.written.mark = SLOT_UNMARKED;
    storage.written_at = slot_address(sector, at);
    flash_write(storage.written_at, &storage.written, sizeof storage.written);
    begin_operation();
}

static void write_mark(void) {
    struct slot *written = &storage.written;
    written->mark = SLOT_WHOLE;
    flash_write(storage.written_at + offsetof(struct slot, mark), &written->mark,
                sizeof written->mark);
    begin_operation();
}

static void begin_moving(void) {
    storage.is_moving = true;
    storage.target = (struct sector){.number = spare_number(), .next = 1};
}

/* Fills in the next record to be moved; returns false if no record of this kind is left. A lock is
   taken from the core, not from the flash, where it may have been damaged, and is written to both
   of its slots. Otherwise, a loss of power before a pending lock is stored would leave only an
   older copy, or no copy. */
static bool fill_moving(uint8_t kind, uint8_t actuator) {
    if (kind == SLOT_CONFIGURATION) {
        uint8_t from = storage.active.slots[kind][actuator];
        return from && slot_read_record(&storage.active, from, &storage.written);
    }
    if (storage.is_pending[kind][actuator]) {
        storage.written = storage.pending[kind][actuator];
        return true;
    }
    if (!newest_lock(actuator)) {
        return false;
    }
    slot_fill(&storage.written, kind, actuator, bridge_lock(&port_bridge, actuator)->bytes,
              LOCK_SIZE);
    return true;
}

/* Moves the next record; locks are moved first. The header is written after all records, so that
   the target becomes active only when it is complete. */
static void move_record(void) {
    struct sector *target = &storage.target;
    if (target->next == 1 && !storage.is_erased[target->number]) {
        erase_spare();
        return;
    }
    for (uint8_t kind = SLOT_RECORD_KINDS; kind-- > 0;) {
        for (uint8_t actuator = 0; actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
            if (!target->slots[kind][actuator] && fill_moving(kind, actuator)) {
                write_slot(target, target->next);
                return;
            }
        }
    }
    slot_fill_header(&storage.written, storage.generation + 1);
    write_slot(target, 0);
}

/* Stores a record, unless the flash already contains the record (SPEC 8.5): a sector withstands
   only 100,000 erasures. */
static void store(uint8_t kind, uint8_t actuator) {
    struct sector *active = &storage.active;
    const struct slot *pending = &storage.pending[kind][actuator];
    struct slot stored = {.kind = SLOT_ERASED};
    uint8_t at = active->slots[kind][actuator];
    if (at) {
        slot_read(active, at, &stored);
    }
    if (slots_are_equal(&stored, pending)) {
        storage.is_pending[kind][actuator] = false;
    } else if (!active->next || active->next == SLOT_COUNT) {
        begin_moving();
    } else {
        storage.written = *pending;
        write_slot(active, active->next);
    }
}

/* Stores the next pending record. Returns false if no record is pending. */
static bool store_next(void) {
    if (!storage.has_pending) {
        return false;
    }
    for (uint8_t kind = 0; kind < SLOT_RECORD_KINDS; kind++) {
        for (uint8_t actuator = 0; actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
            if (storage.is_pending[kind][actuator]) {
                store(kind, actuator);
                return true;
            }
        }
    }
    storage.has_pending = false;
    return false;
}

/* ---- Results -------------------------------------------------------------------------------- */

static void give_up(void) {
    for (uint8_t actuator = 0; actuator < BRIDGE_ACTUATOR_COUNT; actuator++) {
        for (uint8_t kind = 0; kind < SLOT_RECORD_KINDS; kind++) {
            storage.is_pending[kind][actuator] = false;
        }
    }
    storage.is_moving = false;
    storage.is_busy = false;
    storage.written_at = 0;
    storage.failures = 0;
    bridge_storage_failed(&port_bridge);
}

static void finish_slot(struct sector *sector) {
    const struct slot *written = &storage.written;
    if (written->kind == SLOT_HEADER) {
        storage.active = storage.target;
        storage.generation++;
        storage.is_moving = false;
        storage.must_erase_spare = !storage.is_erased[spare_number()];
    } else {
        sector->slots[written->kind][written->actuator] = sector->next++;
    }
}

/* Compares the slot in the flash with the data that was written, and skips the slot if they differ.
   Moving a record does not reset the count of failures: otherwise, two sectors that accept the
   moved records but not the pending record would replace each other indefinitely. */
static void check_slot(void) {
    struct sector *sector = storage.is_moving ? &storage.target : &storage.active;
    struct slot slot;
    flash_read(storage.written_at, &slot, sizeof slot);
    bool is_good = slots_are_equal(&slot, &storage.written);
    if (is_good && storage.written.mark == SLOT_UNMARKED) {
        write_mark();
        return;
    }
    storage.written_at = 0;
    if (is_good) {
        storage.failures = storage.is_moving ? storage.failures : 0;
        finish_slot(sector);
    } else if (++storage.failures == FAILURES_MAX || storage.written.kind == SLOT_HEADER) {
        give_up();
    } else if (storage.failures == FAILURES_OF_SECTOR && !storage.is_moving) {
        begin_moving();
    } else {
        sector->next++;
    }
}

void storage_poll(void) {
    if (storage.is_busy) {
        if (!flash_is_busy()) {
            storage.is_busy = false;
        } else if (board_now_us() - storage.busy_since_us > BUSY_MAX_US) {
            give_up();
        }
    } else if (storage.written_at) {
        check_slot();
    } else if (storage.is_moving) {
        move_record();
    } else if (!store_next() && storage.must_erase_spare) {
        erase_spare();
    }
}
