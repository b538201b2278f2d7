#include "self_programming.h"

#include <string.h>

#define ENABLE_CYCLES 4u
#define PAGE_CYCLES (4500u * CYCLES_PER_US) // the maximum erase or write time (table 27-3)

static bool is_busy(const struct self_programming *flash) {
    return flash->done.due != SCHEDULE_NEVER;
}

static bool is_enabled(const struct self_programming *flash) {
    return is_busy(flash) || flash->mcu->now <= flash->enabled_until;
}

static void update(const struct self_programming *flash) {
    bool wanted = (flash->mcu->data[SPMCSR] & SPMIE) != 0;
    mcu_request(flash->mcu, VECTOR_SPM_READY, wanted && !is_busy(flash));
}

static void clear_page_buffer(struct self_programming *flash) {
    memset(flash->page_buffer, 0xFF, sizeof flash->page_buffer);
}

static uint16_t z_pointer(const struct self_programming *flash) {
    const uint8_t *data = flash->mcu->data;
    uint16_t address = (uint16_t)(data[R30_ZL] | data[R31_ZH] << 8);
    return address & (FLASH_SIZE - 1);
}

static void fill(struct self_programming *flash) {
    uint16_t offset = z_pointer(flash) & (FLASH_PAGE_SIZE - 2);
    flash->page_buffer[offset] = flash->mcu->data[R0];
    flash->page_buffer[offset + 1] = flash->mcu->data[R1];
}

static void start(struct self_programming *flash) {
    if (z_pointer(flash) < RWW_END) {
        flash->mcu->data[SPMCSR] |= RWWSB;
    }
    schedule_at(flash->schedule, &flash->done, flash->mcu->now + PAGE_CYCLES);
}

static uint8_t *page(const struct self_programming *flash) {
    return &flash->mcu->flash[z_pointer(flash) & ~(FLASH_PAGE_SIZE - 1)];
}

static void erase_page(struct self_programming *flash) {
    memset(page(flash), 0xFF, FLASH_PAGE_SIZE);
    start(flash);
}

// Writes a page. Programming can only clear bits.
static void write_page(struct self_programming *flash) {
    uint8_t *cells = page(flash);
    for (size_t index = 0; index < FLASH_PAGE_SIZE; index++) {
        cells[index] &= flash->page_buffer[index];
    }
    clear_page_buffer(flash);
    start(flash);
}

static void enable_rww_section(struct self_programming *flash) {
    flash->mcu->data[SPMCSR] &= (uint8_t)~RWWSB;
    clear_page_buffer(flash);
}

static void on_spm(void *owner) {
    struct self_programming *flash = owner;
    bool may_write = mcu_program_counter(flash->mcu) >= flash->mcu->boot_start;
    if (!may_write || is_busy(flash) || !is_enabled(flash)) {
        return;
    }
    flash->enabled_until = 0;
    switch (flash->mcu->data[SPMCSR] & (RWWSRE | PGWRT | PGERS)) {
    case 0:
        fill(flash);
        break;
    case PGERS:
        erase_page(flash);
        break;
    case PGWRT:
        write_page(flash);
        break;
    case RWWSRE:
        enable_rww_section(flash);
        break;
    default:
        break;
    }
    update(flash);
}

static void on_done(void *owner, uint64_t when) {
    (void)when;
    update(owner);
}

static void write_control(void *owner, uint16_t address, uint8_t value) {
    struct self_programming *flash = owner;
    uint8_t kept = flash->mcu->data[address] & RWWSB;
    flash->mcu->data[address] = (uint8_t)(kept | (value & (SPMIE | RWWSRE | PGWRT | PGERS)));
    if ((value & SPMEN) != 0 && !is_busy(flash)) {
        flash->enabled_until = flash->mcu->now + ENABLE_CYCLES;
    }
    update(flash);
}

static uint8_t read_control(void *owner, uint16_t address) {
    const struct self_programming *flash = owner;
    uint8_t control = flash->mcu->data[address];
    if (!is_enabled(flash)) {
        control &= SPMIE | RWWSB;
    }
    return is_enabled(flash) ? control | SPMEN : control;
}

void self_programming_init(struct self_programming *flash, struct mcu *mcu,
                           struct schedule *schedule) {
    *flash = (struct self_programming){.mcu = mcu, .schedule = schedule};
    schedule_add(schedule, &flash->done, on_done, flash);
    mcu_on_write(mcu, SPMCSR, write_control, flash);
    mcu_on_read(mcu, SPMCSR, read_control, flash);
    mcu->store_program = (struct mcu_vector){.acknowledge = on_spm, .owner = flash};
}

void self_programming_reset(struct self_programming *flash) {
    self_programming_power_off(flash);
    flash->enabled_until = 0;
    clear_page_buffer(flash);
}

void self_programming_power_off(struct self_programming *flash) {
    schedule_cancel(flash->schedule, &flash->done);
}
