// Declarations that are private to the files of the DRV2605 model.
#ifndef DRV2605_MODEL_INTERNAL_H
#define DRV2605_MODEL_INTERNAL_H

#include "drv2605_model.h"
#include "drv2605_model_registers.h"

// ---- drv2605_model_registers.c: the registers of each id, and their values after reset ----

// Sets every register to its value after power-up in the datasheet of this id.
void model_reset_registers(struct drv2605_model *model);

// True if the id has a register at the address.
bool model_has_register(const struct drv2605_model *model, uint8_t address);

// Returns the bits of a register that a write changes; 0 for a read-only register. OTP_STATUS is
// excluded.
uint8_t model_writable_bits(const struct drv2605_model *model, uint8_t address);

// Returns the value that a read returns now, without side effects.
uint8_t model_peek_register(const struct drv2605_model *model, uint8_t address);

// Counts an access that the datasheet does not define.
void model_count_undefined(struct drv2605_model *model, uint8_t address);

// ---- drv2605_model_access.c: the effects of writing and reading a register ----

void model_write_register(struct drv2605_model *model, uint8_t address, uint8_t value);
uint8_t model_read_register(struct drv2605_model *model, uint8_t address);

// Checks real-time playback that begins now, and counts its errors.
void model_check_rtp_start(struct drv2605_model *model);

// ---- drv2605_model_process.c: time, and the processes that run while GO is 1 ----

// The time after power-up during which the chip NACKs (SLOS854D p59).
#define MODEL_START_UP_US 250u

// Advances the chip to `now_us`, and executes each due event at its own time.
void model_advance(struct drv2605_model *model, uint64_t now_us);

// Resets everything that a power-up resets, and makes the chip NACK for `silence_us`, beginning at
// `at_us`.
void model_reset_chip(struct drv2605_model *model, uint64_t at_us, uint64_t silence_us);

// Starts the process of the mode (0, 6 or 7) with GO = 1.
void model_start_process(struct drv2605_model *model);

// Ends the running process without a result, and clears GO.
void model_cancel_process(struct drv2605_model *model);

// ---- drv2605_model_effects.c: the ROM effects ----

#define MODEL_LAST_EFFECT 123u

// Returns the nominal duration of a ROM effect in us; MODEL_NEVER for the effect that plays until
// it is canceled.
uint64_t model_effect_duration_us(uint8_t effect);

// Returns the nominal level of a ROM effect, 0...255 of full scale.
int16_t model_effect_drive(uint8_t effect);

// ---- drv2605_model_output.c: the output stage ----

bool model_is_ready(const struct drv2605_model *model);
bool model_is_lra(const struct drv2605_model *model);
bool model_has_lra(const struct drv2605_model *model);
bool model_is_closed_loop(const struct drv2605_model *model);

// True if RTP_INPUT determines the output: the chip is enabled, ready, in MODE 5 and not in
// standby.
bool model_in_rtp(const struct drv2605_model *model);

// True if the current RTP format is a row of the table in SLOS854D p30-32.
bool model_has_defined_rtp_format(const struct drv2605_model *model);

// True for an LRA in open loop on a chip that supports it only with a PWM clock.
bool model_lacks_open_loop_clock(const struct drv2605_model *model);

// Determines the period of the drive of an LRA in open loop. This function must be called after
// each change of a register or of EN.
void model_update_period(struct drv2605_model *model);

// Applies the value of OL_LRA_PERIOD if it takes effect by `now_us`.
void model_advance_period(struct drv2605_model *model, uint64_t now_us);

// model_commanded_drive returns the drive that the registers request; model_present_drive returns
// the drive that remains after the protections have acted.
int16_t model_commanded_drive(const struct drv2605_model *model);
int16_t model_present_drive(const struct drv2605_model *model);

// Detects a drive into a short. This function must be called after each change of the requested
// drive.
void model_check_overcurrent(struct drv2605_model *model);

#endif
