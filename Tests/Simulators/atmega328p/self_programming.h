// The programming of flash by a boot loader (datasheet section 27), page by page, with SPM
// instructions in the boot loader section. Lock bits and fuses are not modeled.
#ifndef SELF_PROGRAMMING_H
#define SELF_PROGRAMMING_H

#include "mcu.h"
#include "schedule.h"

struct self_programming {
    struct mcu *mcu;
    struct schedule *schedule;
    struct event done; // scheduled while a page is erased or written
    uint8_t page_buffer[FLASH_PAGE_SIZE];
    uint64_t enabled_until; // the cycle until which SPM executes the operation in SPMCSR
};

void self_programming_init(struct self_programming *flash, struct mcu *mcu,
                           struct schedule *schedule);

// Sets the reset values. This function must be called after mcu_reset.
void self_programming_reset(struct self_programming *flash);
void self_programming_power_off(struct self_programming *flash);

#endif
