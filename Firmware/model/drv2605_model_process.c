// Time, and the processes that run while GO is 1: a sequence, diagnostics, calibration.
#include "drv2605_model_internal.h"

// The drive during diagnostics and calibration. The value is invented, because the datasheet does
// not specify a value. A test harness that adds up the work of an actuator should overestimate this
// work rather than underestimate it.
#define MEASURING_DRIVE 255

// The duration of diagnostics. The value is invented, because the datasheet does not specify a
// value.
#define DIAGNOSTICS_US 100000u

#define WAIT_UNIT_US 10000u

// Returns the maximum duration of a calibration for AUTO_CAL_TIME 0...3 (SLOS854D p46-53). A driver
// must wait for this maximum duration.
static uint64_t calibration_time_us(const struct drv2605_model *model) {
    static const uint32_t times_us[] = {350000, 450000, 700000, 1200000};
    uint8_t code = model->registers[MODEL_REG_CONTROL4] & MODEL_AUTO_CAL_TIME_MASK;
    return times_us[code >> MODEL_AUTO_CAL_TIME_SHIFT];
}

void model_cancel_process(struct drv2605_model *model) {
    model->process = MODEL_PROCESS_IDLE;
    model->process_step_at_us = MODEL_NEVER;
    model->process_drive = 0;
    model->registers[MODEL_REG_GO] = 0;
}

// True if an effect has output. Library 0 is empty (SLOS854D p35), so its effects take no time.
// The datasheet does not state whether the sequencer nevertheless processes the slots; that it does
// is invented.
static bool has_effect(struct drv2605_model *model, uint8_t effect) {
    if (effect > MODEL_LAST_EFFECT) {
        model_count_undefined(model, MODEL_REG_GO);
        return false;
    }
    return (model->registers[MODEL_REG_LIBRARY] & MODEL_LIBRARY_SEL_MASK) != 0;
}

// Starts the effect or the wait of a slot at `at_us`.
static void play_slot(struct drv2605_model *model, uint8_t slot, uint64_t at_us) {
    uint64_t duration_us = 0;
    model->process_drive = 0;
    if ((slot & MODEL_WAIT) != 0) {
        duration_us = (uint64_t)(slot & ~MODEL_WAIT) * WAIT_UNIT_US;
    } else if (has_effect(model, slot)) {
        duration_us = model_effect_duration_us(slot);
        model->process_drive = model_effect_drive(slot);
    }
    bool forever = duration_us == MODEL_NEVER;
    model->process_step_at_us = forever ? MODEL_NEVER : at_us + duration_us;
}

// Continues the sequence, which ends at a slot that contains 0 or after slot 8 (SLOS854D p33).
static void step_sequence(struct drv2605_model *model, uint64_t at_us) {
    if (model->playing_slot == MODEL_SLOT_COUNT || model->playing[model->playing_slot] == 0) {
        model_cancel_process(model);
        return;
    }
    play_slot(model, model->playing[model->playing_slot], at_us);
    model->playing_slot++;
}

static void finish_diagnostics(struct drv2605_model *model) {
    model_cancel_process(model);
    model->diagnostic_failed = model->shorted || model->diagnostics != MODEL_DIAGNOSTICS_OK;
}

static void finish_calibration(struct drv2605_model *model) {
    model_cancel_process(model);
    model->diagnostic_failed = model->shorted || model_has_lra(model) != model_is_lra(model) ||
                               model->calibration != MODEL_CALIBRATION_PASSES;
    if (model->diagnostic_failed) {
        return;
    }
    uint8_t kept = model->registers[MODEL_REG_FEEDBACK] & (uint8_t)~MODEL_BEMF_GAIN_MASK;
    uint8_t gain = model->calibrated_gain & MODEL_BEMF_GAIN_MASK;
    model->registers[MODEL_REG_A_CAL_COMP] = model->calibrated_compensation;
    model->registers[MODEL_REG_A_CAL_BEMF] = model->calibrated_back_emf;
    model->registers[MODEL_REG_FEEDBACK] = kept | gain;
}

static void step_process(struct drv2605_model *model, uint64_t at_us) {
    switch (model->process) {
    case MODEL_PROCESS_SEQUENCE:
        step_sequence(model, at_us);
        break;
    case MODEL_PROCESS_DIAGNOSTICS:
        finish_diagnostics(model);
        break;
    case MODEL_PROCESS_CALIBRATION:
        finish_calibration(model);
        break;
    case MODEL_PROCESS_IDLE:
        break;
    }
}

static void start_sequence(struct drv2605_model *model) {
    model->process = MODEL_PROCESS_SEQUENCE;
    for (uint8_t slot = 0; slot < MODEL_SLOT_COUNT; slot++) {
        model->playing[slot] = model->registers[MODEL_REG_SEQ1 + slot];
    }
    model->playing_slot = 0;
    model->process_step_at_us = model->now_us;
}

static void start_diagnostics(struct drv2605_model *model) {
    model->process = MODEL_PROCESS_DIAGNOSTICS;
    model->process_drive = MEASURING_DRIVE;
    model->process_step_at_us = model->now_us + DIAGNOSTICS_US;
}

static void start_calibration(struct drv2605_model *model) {
    bool never = model->calibration == MODEL_CALIBRATION_NEVER_FINISHES;
    model->process = MODEL_PROCESS_CALIBRATION;
    model->process_drive = MEASURING_DRIVE;
    model->process_step_at_us = never ? MODEL_NEVER : model->now_us + calibration_time_us(model);
}

void model_start_process(struct drv2605_model *model) {
    model->registers[MODEL_REG_GO] = MODEL_GO;
    switch (model->registers[MODEL_REG_MODE] & MODEL_MODE_MASK) {
    case MODEL_MODE_DIAGNOSTICS:
        start_diagnostics(model);
        break;
    case MODEL_MODE_AUTO_CALIBRATION:
        start_calibration(model);
        break;
    default:
        start_sequence(model);
        break;
    }
    model_advance(model, model->now_us); // an empty sequence ends at the time at which it starts
}

void model_reset_chip(struct drv2605_model *model, uint64_t at_us, uint64_t silence_us) {
    model_reset_registers(model);
    model_cancel_process(model);
    model->ready_at_us = at_us + silence_us;
    model->selected = false;
    model->pointer = 0;
    model->bus_held = false;
    model->diagnostic_failed = false;
    model->over_temperature = model->hot;
    model->overcurrent = false;
    model->output_locked = false;
}

void model_advance(struct drv2605_model *model, uint64_t now_us) {
    uint64_t target_us = now_us > model->now_us ? now_us : model->now_us;
    for (;;) {
        bool brown_out = model->brown_out_at_us <= model->process_step_at_us;
        uint64_t due_us = brown_out ? model->brown_out_at_us : model->process_step_at_us;
        if (due_us > target_us || due_us == MODEL_NEVER) {
            break;
        }
        model->now_us = due_us;
        if (brown_out) {
            model->brown_out_at_us = MODEL_NEVER;
            model_reset_chip(model, due_us, MODEL_START_UP_US);
        } else {
            step_process(model, due_us);
        }
        model_check_overcurrent(model);
    }
    model->now_us = target_us;
    model_advance_period(model, target_us);
}
