#include "eeprom.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Programming times (table 8-1): 3.4 ms to erase and write a cell, 1.8 ms to only erase or only
// write it.
#define ERASE_AND_WRITE_CYCLES (3400u * CYCLES_PER_US)
#define HALF_CYCLES (1800u * CYCLES_PER_US)

#define ENABLE_CYCLES 4u

#define ERASED 0xFFu

// ---- The file, which always contains the current or the previous contents of the cells ----

static bool load(struct eeprom *eeprom) {
    FILE *file = fopen(eeprom->path, "rb");
    if (file == NULL && errno == ENOENT) {
        return true;
    }
    if (file == NULL) {
        perror(eeprom->path);
        return false;
    }
    size_t size = fread(eeprom->cells, 1, sizeof eeprom->cells, file);
    bool is_whole = size == sizeof eeprom->cells && fgetc(file) == EOF;
    fclose(file);
    if (!is_whole) {
        fprintf(stderr, "%s: an EEPROM file must have %u bytes\n", eeprom->path, EEPROM_SIZE);
    }
    return is_whole;
}

static bool write_file(const struct eeprom *eeprom, const char *path) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    bool is_written = fwrite(eeprom->cells, sizeof eeprom->cells, 1, file) == 1;
    return fclose(file) == 0 && is_written;
}

static void save(const struct eeprom *eeprom) {
    if (eeprom->path == NULL) {
        return;
    }
    char beside[4096];
    int length = snprintf(beside, sizeof beside, "%s.new", eeprom->path);
    if (length >= (int)sizeof beside || !write_file(eeprom, beside) ||
        rename(beside, eeprom->path) != 0) {
        perror(eeprom->path);
        exit(EXIT_FAILURE);
    }
}

// ---- Programming (8.6.3) ----

static bool is_busy(const struct eeprom *eeprom) {
    return eeprom->programmed.due != SCHEDULE_NEVER;
}

static void update(const struct eeprom *eeprom) {
    bool is_enabled = (eeprom->mcu->data[EECR] & EERIE) != 0;
    mcu_request(eeprom->mcu, VECTOR_EE_READY, is_enabled && !is_busy(eeprom));
}

static uint16_t selected(const struct eeprom *eeprom) {
    const uint8_t *data = eeprom->mcu->data;
    uint16_t address = (uint16_t)(data[EEARL] | data[EEARH] << 8);
    return address & (EEPROM_SIZE - 1);
}

static void program(struct eeprom *eeprom) {
    uint8_t mode = eeprom->mcu->data[EECR] & EEPM1_0;
    uint16_t address = selected(eeprom);
    uint8_t *cell = &eeprom->cells[address];
    uint8_t erased = mode == EEPM_WRITE_ONLY ? *cell : ERASED;
    uint8_t value = mode == EEPM_ERASE_ONLY ? ERASED : erased & eeprom->mcu->data[EEDR];
    trace_line(eeprom->trace, "eeprom %" PRIu64 " %u %02X", eeprom->mcu->now, address, value);
    eeprom->address = address;
    eeprom->value = eeprom->worn[address] ? *cell : value;
    *cell = eeprom->worn[address] ? *cell : erased;
    save(eeprom);
    schedule_at(eeprom->schedule, &eeprom->programmed,
                eeprom->mcu->now + (mode == 0 ? ERASE_AND_WRITE_CYCLES : HALF_CYCLES));
}

static void on_programmed(void *owner, uint64_t when) {
    (void)when;
    struct eeprom *eeprom = owner;
    eeprom->cells[eeprom->address] = eeprom->value;
    eeprom->mcu->data[EECR] &= (uint8_t)~EEPE;
    save(eeprom);
    update(eeprom);
}

// ---- Registers ----

static bool is_enabled(const struct eeprom *eeprom) {
    return eeprom->mcu->now <= eeprom->enabled_until;
}

static void write_control(void *owner, uint16_t address, uint8_t value) {
    struct eeprom *eeprom = owner;
    uint8_t *control = &eeprom->mcu->data[address];
    uint8_t written = value & eeprom->mcu->written_bits;
    uint8_t kept = is_busy(eeprom) ? EEPE | EEPM1_0 : 0;
    *control = (uint8_t)((*control & kept) | (value & (EERIE | EEPM1_0) & ~kept));
    if ((written & EERE) != 0 && !is_busy(eeprom)) {
        eeprom->mcu->data[EEDR] = misread(&eeprom->misreading, eeprom->cells[selected(eeprom)]);
    }
    if ((written & EEPE) != 0 && is_enabled(eeprom) && !is_busy(eeprom)) {
        eeprom->enabled_until = 0;
        program(eeprom);
        *control |= EEPE;
    } else if ((written & EEMPE) != 0) {
        eeprom->enabled_until = eeprom->mcu->now + ENABLE_CYCLES;
    }
    update(eeprom);
}

static uint8_t read_control(void *owner, uint16_t address) {
    const struct eeprom *eeprom = owner;
    uint8_t control = eeprom->mcu->data[address] & (uint8_t)~EEMPE;
    return is_enabled(eeprom) ? control | EEMPE : control;
}

// Sets the address, which cannot be changed during programming (8.4.2).
static void write_address(void *owner, uint16_t address, uint8_t value) {
    struct eeprom *eeprom = owner;
    if (!is_busy(eeprom)) {
        eeprom->mcu->data[address] = value;
    }
}

bool eeprom_init(struct eeprom *eeprom, struct mcu *mcu, struct schedule *schedule,
                 const struct trace *trace, const char *path) {
    *eeprom = (struct eeprom){.mcu = mcu, .schedule = schedule, .trace = trace, .path = path};
    memset(eeprom->cells, ERASED, sizeof eeprom->cells);
    schedule_add(schedule, &eeprom->programmed, on_programmed, eeprom);
    mcu_on_write(mcu, EECR, write_control, eeprom);
    mcu_on_read(mcu, EECR, read_control, eeprom);
    mcu_on_write(mcu, EEARL, write_address, eeprom);
    mcu_on_write(mcu, EEARH, write_address, eeprom);
    return path == NULL || load(eeprom);
}

void eeprom_reset(struct eeprom *eeprom) {
    eeprom->enabled_until = 0;
    eeprom->mcu->data[EECR] = is_busy(eeprom) ? EEPE : 0;
}

void eeprom_power_off(struct eeprom *eeprom) {
    schedule_cancel(eeprom->schedule, &eeprom->programmed);
}
