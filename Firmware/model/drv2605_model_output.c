// The output stage: the drive that the registers request, and the drive after the protections.
#include "drv2605_model_internal.h"

#define FULL_DRIVE 255

static bool register_has(const struct drv2605_model *model, uint8_t address, uint8_t bits) {
    return (model->registers[address] & bits) != 0;
}

bool model_is_ready(const struct drv2605_model *model) {
    return model->powered && model->now_us >= model->ready_at_us;
}

static bool is_active(const struct drv2605_model *model) {
    return model_is_ready(model) && model->enabled &&
           !register_has(model, MODEL_REG_MODE, MODEL_STANDBY);
}

bool model_is_lra(const struct drv2605_model *model) {
    return register_has(model, MODEL_REG_FEEDBACK, MODEL_N_ERM_LRA);
}

bool model_has_lra(const struct drv2605_model *model) {
    return model->attached == MODEL_ATTACHED_AS_CONFIGURED ? model_is_lra(model)
                                                           : model->attached == MODEL_ATTACHED_LRA;
}

// True in closed loop. Each actuator kind has its own open-loop bit (SLOS854D p51).
bool model_is_closed_loop(const struct drv2605_model *model) {
    uint8_t open_loop = model_is_lra(model) ? MODEL_LRA_OPEN_LOOP : MODEL_ERM_OPEN_LOOP;
    return !register_has(model, MODEL_REG_CONTROL3, open_loop);
}

bool model_in_rtp(const struct drv2605_model *model) {
    uint8_t mode = model->registers[MODEL_REG_MODE] & MODEL_MODE_MASK;
    return is_active(model) && mode == MODEL_MODE_RTP;
}

static bool is_bidirectional(const struct drv2605_model *model) {
    return register_has(model, MODEL_REG_CONTROL2, MODEL_BIDIR_INPUT);
}

static bool is_unsigned(const struct drv2605_model *model) {
    return register_has(model, MODEL_REG_CONTROL3, MODEL_DATA_FORMAT_RTP);
}

// True for a defined format. Unidirectional input is defined only for unsigned data in closed loop
// (SLOS854D p48).
bool model_has_defined_rtp_format(const struct drv2605_model *model) {
    return is_bidirectional(model) || (model_is_closed_loop(model) && is_unsigned(model));
}

bool model_lacks_open_loop_clock(const struct drv2605_model *model) {
    bool open_loop_lra = model_is_lra(model) && !model_is_closed_loop(model);
    return open_loop_lra && model->device_id == MODEL_ID_DRV2605;
}

// Returns the drive for `steps` out of `full_steps`, rounded to the nearest value and limited to
// full drive.
static int16_t drive_of(int steps, int full_steps) {
    int half = steps < 0 ? -(full_steps / 2) : full_steps / 2;
    int drive = (steps * FULL_DRIVE + half) / full_steps;
    if (drive > FULL_DRIVE) {
        return FULL_DRIVE;
    }
    return (int16_t)(drive < -FULL_DRIVE ? -FULL_DRIVE : drive);
}

// Converts offset binary: 0x7F is rest, with 128 steps above rest and 127 steps below it (SLOS854D
// p30-32).
static int16_t drive_of_offset_binary(uint8_t input) {
    int steps = (int)input - 0x7F;
    return drive_of(steps, steps > 0 ? 0x80 : 0x7F);
}

// Converts two's complement: 0x81...0x7F is -127...127; 0x80 is beyond full reverse and counts as
// full reverse.
static int16_t drive_of_twos_complement(uint8_t input) {
    int steps = input < 0x80 ? (int)input : (int)input - 0x100;
    return drive_of(steps, 0x7F);
}

// Returns the drive that the RTP format table specifies (SLOS854D p30-32). For a format outside the
// table, the behavior is invented: open loop uses the table's bidirectional row, and closed loop
// with signed data uses the positive half of the range.
static int16_t rtp_drive(const struct drv2605_model *model) {
    uint8_t input = model->registers[MODEL_REG_RTP_INPUT];
    bool closed_loop = model_is_closed_loop(model);
    if (closed_loop && !is_bidirectional(model) && is_unsigned(model)) {
        return input;
    }
    int16_t drive =
        is_unsigned(model) ? drive_of_offset_binary(input) : drive_of_twos_complement(input);
    // In closed loop, there is no reverse drive: the chip brakes automatically, towards zero
    // (SLOS854D p30-32).
    return closed_loop && drive < 0 ? 0 : drive;
}

int16_t model_commanded_drive(const struct drv2605_model *model) {
    if (!is_active(model) || register_has(model, MODEL_REG_LIBRARY, MODEL_HI_Z) ||
        model_lacks_open_loop_clock(model)) {
        return 0;
    }
    if (model->process != MODEL_PROCESS_IDLE) {
        return model->process_drive;
    }
    return model_in_rtp(model) ? rtp_drive(model) : 0;
}

int16_t model_present_drive(const struct drv2605_model *model) {
    bool resting = model->hot || model->overcurrent || model->output_locked;
    return resting ? 0 : model_commanded_drive(model);
}

void model_check_overcurrent(struct drv2605_model *model) {
    if (model->shorted && !model->overcurrent && model_commanded_drive(model) != 0) {
        model->overcurrent = true;
        model->output_locked = true; // the outputs were already shorted when the drive began
    }
}

// ---- The period in open loop ----

#define PERIOD_STEP_NS UINT64_C(98460)

// Returns the time of the first end of a half-cycle after the current time.
static uint64_t next_half_cycle_us(const struct drv2605_model *model) {
    uint64_t half_ns = model->period * PERIOD_STEP_NS / 2u;
    if (half_ns == 0) {
        return model->now_us;
    }
    uint64_t elapsed_ns = (model->now_us - model->half_cycle_at_us) * 1000u;
    return model->half_cycle_at_us + (elapsed_ns / half_ns + 1u) * half_ns / 1000u;
}

static void take_period(struct drv2605_model *model, uint64_t at_us) {
    model->period = model->registers[MODEL_REG_OL_LRA_PERIOD];
    model->half_cycle_at_us = at_us;
    model->next_period_at_us = MODEL_NEVER;
}

void model_update_period(struct drv2605_model *model) {
    bool drove = model->drives_open_lra;
    model->drives_open_lra =
        model_is_lra(model) && !model_is_closed_loop(model) && model_present_drive(model) != 0;
    bool changes = model->registers[MODEL_REG_OL_LRA_PERIOD] != model->period;
    if (!model->drives_open_lra || !drove) {
        take_period(model, model->now_us);
    } else if (changes && model->period_rule == MODEL_PERIOD_IMMEDIATELY) {
        take_period(model, model->now_us);
    } else if (model->period_rule == MODEL_PERIOD_AT_NEXT_HALF_CYCLE) {
        model->next_period_at_us = changes ? next_half_cycle_us(model) : MODEL_NEVER;
    }
}

void model_advance_period(struct drv2605_model *model, uint64_t now_us) {
    if (model->drives_open_lra && model->next_period_at_us <= now_us) {
        take_period(model, model->next_period_at_us);
    }
}
