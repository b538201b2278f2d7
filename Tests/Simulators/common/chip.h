// The DRV2605(L) on the board: the model of Firmware/model, in the board's time, with its drive
// traced.
#ifndef CHIP_H
#define CHIP_H

#include "drv2605_model.h"
#include "schedule.h"
#include "trace.h"

struct chip {
    struct drv2605_model model; // after anything done to it directly: chip_changed
    uint64_t stretch;           // cycles that it holds SCL low after each of its ACKs

    // The state of chip.c only.
    struct schedule *schedule;
    const struct trace *trace;
    int number; // in the trace; -1 if it is the only one
    bool is_fitted;
    bool board_has_power;
    bool has_power;      // as far as its own supply goes
    int16_t drive;       // as it was traced last
    struct event change; // the model's next one by itself
};

// Initializes a chip on a board without power, or an empty place if it is not fitted.
void chip_init(struct chip *chip, struct schedule *schedule, const struct trace *trace, int number,
               uint8_t device_id, bool is_fitted);

// Switches the supply of the board, and that of the chip. The chip needs both.
void chip_set_board_power(struct chip *chip, uint64_t when, bool on);
void chip_set_power(struct chip *chip, uint64_t when, bool on);

// The EN pin.
void chip_enable(struct chip *chip, uint64_t when, bool high);

// The I2C slave, as in drv2605_model.h.
bool chip_start(struct chip *chip, uint64_t when, uint8_t address_byte);
bool chip_write(struct chip *chip, uint64_t when, uint8_t byte);
uint8_t chip_read(struct chip *chip, uint64_t when);
void chip_stop(struct chip *chip, uint64_t when);
// The byte that a read would give next.
uint8_t chip_next_byte(const struct chip *chip, uint64_t when);
bool chip_holds_sda(const struct chip *chip);

// Traces the changes, and schedules the next one.
void chip_changed(struct chip *chip, uint64_t when);

// The model's clock.
uint64_t chip_time_us(uint64_t when);

#endif
