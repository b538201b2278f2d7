// The DRV2605(L) on the board: the model in Firmware/model, which runs on the board's clock. The
// drive of the chip is traced.
#ifndef CHIP_H
#define CHIP_H

#include "drv2605_model.h"
#include "motion_model.h"
#include "schedule.h"
#include "trace.h"

// The connection of a chip's EN pin: to the board, to its supply, or open, so that a resistor in
// the chip pulls it low.
enum chip_enable_wire { CHIP_ENABLE_PIN, CHIP_ENABLE_HIGH, CHIP_ENABLE_LOW };

struct chip {
    struct drv2605_model model;        // call chip_changed after a direct access to the model
    enum chip_enable_wire enable_wire; // call chip_enable_rewired after a change of this connection
    struct motion_model
        *motion;      // the motion that the drive of the chip causes; NULL if no sensor needs it
    uint64_t stretch; // the number of cycles for which the chip holds SCL low after each ACK

    // Internal state of chip.c.
    struct schedule *schedule;
    const struct trace *trace;
    int number; // the number of the chip in the trace; -1 if it is the only chip
    bool is_fitted;
    bool is_enable_pin_high; // of the board
    bool board_has_power;
    bool has_power;      // true unless the chip's own supply is switched off
    int16_t drive;       // the last traced drive
    struct event change; // the next change that the model makes without an access
};

// Initializes a chip on a board without power, or an empty position if the chip is not fitted.
void chip_init(struct chip *chip, struct schedule *schedule, const struct trace *trace, int number,
               uint8_t device_id, bool is_fitted);

// Switches the supply of the board, or the chip's own supply. The chip runs only while both
// supplies are on.
void chip_set_board_power(struct chip *chip, uint64_t when, bool on);
void chip_set_power(struct chip *chip, uint64_t when, bool on);

// Sets the board's pin for EN.
void chip_enable(struct chip *chip, uint64_t when, bool high);
void chip_enable_rewired(struct chip *chip, uint64_t when);

// Functions of the I2C slave, as in drv2605_model.h.
bool chip_start(struct chip *chip, uint64_t when, uint8_t address_byte);
bool chip_write(struct chip *chip, uint64_t when, uint8_t byte);
uint8_t chip_read(struct chip *chip, uint64_t when);
void chip_stop(struct chip *chip, uint64_t when);
// Returns the byte that the next read will return; 0xFF if the chip is not addressed for reading.
uint8_t chip_next_byte(const struct chip *chip, uint64_t when);
bool chip_holds_sda(const struct chip *chip);

// Traces the changes of the chip, and schedules the next change.
void chip_changed(struct chip *chip, uint64_t when);

// Returns the time on the model's clock at a cycle.
uint64_t chip_time_us(uint64_t when);

#endif
