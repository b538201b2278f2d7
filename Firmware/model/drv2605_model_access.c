// The effects of writing and reading a register.
#include "drv2605_model_internal.h"

static bool is_going(const struct drv2605_model *model) {
    return (model->registers[MODEL_REG_GO] & MODEL_GO) != 0;
}

static uint8_t present_mode(const struct drv2605_model *model) {
    return model->registers[MODEL_REG_MODE] & MODEL_MODE_MASK;
}

// True for a register that must not change while a waveform or a calibration is in progress,
// because the datasheet does not define the effect. The model stores the new value; changed slots
// take effect at the next GO.
static bool is_fixed_while_going(uint8_t address) {
    bool slot = address >= MODEL_REG_SEQ1 && address <= MODEL_REG_SEQ8;
    bool loop = address >= MODEL_REG_RATED_VOLTAGE && address <= MODEL_REG_OL_LRA_PERIOD;
    return slot || loop;
}

// Checks the drive after RTP_INPUT has changed, or has begun to determine the drive.
static void check_rtp(struct drv2605_model *model, uint8_t address) {
    if (!model_in_rtp(model)) {
        return;
    }
    if (!model_has_defined_rtp_format(model)) {
        model_count_undefined(model, address);
    }
    if (model_lacks_open_loop_clock(model)) {
        model->unmodelled_modes++;
    }
}

void model_check_rtp_start(struct drv2605_model *model) {
    check_rtp(model, MODEL_REG_MODE);
    if (model_in_rtp(model) && model_commanded_drive(model) != 0) {
        model->stale_rtp_starts++;
    }
}

static bool has_no_modelled_drive(uint8_t mode) {
    return mode >= MODEL_MODE_EXTERNAL_EDGE && mode <= MODEL_MODE_AUDIO;
}

static void write_mode(struct drv2605_model *model, uint8_t value) {
    if ((value & MODEL_DEV_RESET) != 0) {
        model_reset_chip(model, model->now_us, model->reset_time_us);
        return;
    }
    bool was_in_rtp = model_in_rtp(model);
    bool standby = (value & MODEL_STANDBY) != 0;
    bool changed = (value & MODEL_MODE_MASK) != present_mode(model);
    if (is_going(model) && !standby) {
        model_count_undefined(model, MODEL_REG_MODE);
    }
    if (standby || changed) {
        model_cancel_process(model);
    }
    model->registers[MODEL_REG_MODE] = value;
    // Once the short has ended, rewriting MODE releases the output (SLOS854D p19-23).
    model->output_locked = model->output_locked && model->shorted;
    if (changed && has_no_modelled_drive(present_mode(model))) {
        model->unmodelled_modes++;
    }
    if (!was_in_rtp) {
        model_check_rtp_start(model);
    }
}

static void write_go(struct drv2605_model *model, uint8_t value) {
    if ((value & MODEL_GO) == 0) {
        model_cancel_process(model);
        return;
    }
    uint8_t mode = present_mode(model);
    bool standby = (model->registers[MODEL_REG_MODE] & MODEL_STANDBY) != 0;
    if (has_no_modelled_drive(mode)) {
        model->unmodelled_modes++;
    } else if (standby || is_going(model) || mode == MODEL_MODE_RTP) {
        // In MODE 5, GO stays 0, because the signal that it controls is already on (SLOS854D p22).
        model_count_undefined(model, MODEL_REG_GO);
    } else {
        model_start_process(model);
    }
}

static void write_library(struct drv2605_model *model, uint8_t value) {
    uint8_t changed = model->registers[MODEL_REG_LIBRARY] ^ value;
    if (is_going(model) && (changed & MODEL_LIBRARY_SEL_MASK) != 0) {
        model_count_undefined(model, MODEL_REG_LIBRARY);
    }
    model->registers[MODEL_REG_LIBRARY] = value;
}

static void write_plain(struct drv2605_model *model, uint8_t address, uint8_t value) {
    if (is_going(model) && is_fixed_while_going(address)) {
        model_count_undefined(model, address);
    }
    model->registers[address] = value;
    if (address == MODEL_REG_CONTROL4 && (value & MODEL_OTP_PROGRAM) != 0) {
        model->otp_programmed = true;
    }
    if (address == MODEL_REG_RTP_INPUT) {
        check_rtp(model, address);
    }
}

static void write_present(struct drv2605_model *model, uint8_t address, uint8_t value) {
    switch (address) {
    case MODEL_REG_MODE:
        write_mode(model, value);
        break;
    case MODEL_REG_GO:
        write_go(model, value);
        break;
    case MODEL_REG_LIBRARY:
        write_library(model, value);
        break;
    default:
        write_plain(model, address, value);
        break;
    }
    model_check_overcurrent(model);
    model_update_period(model);
}

// Returns the bits that a write may contain without requesting an undefined effect. These bits
// include OTP_STATUS, because a driver that reads, changes and writes CONTROL4 writes that bit
// back.
static uint8_t expected_bits(const struct drv2605_model *model, uint8_t address) {
    uint8_t handed_back = address == MODEL_REG_CONTROL4 ? MODEL_OTP_STATUS : 0;
    return model_writable_bits(model, address) | handed_back;
}

void model_write_register(struct drv2605_model *model, uint8_t address, uint8_t value) {
    if (!model_has_register(model, address) || model_writable_bits(model, address) == 0) {
        model_count_undefined(model, address);
        return;
    }
    if ((value & ~expected_bits(model, address)) != 0) {
        model_count_undefined(model, address);
    }
    write_present(model, address, value & model_writable_bits(model, address));
}

uint8_t model_read_register(struct drv2605_model *model, uint8_t address) {
    if (!model_has_register(model, address)) {
        model_count_undefined(model, address);
    }
    uint8_t value = model_peek_register(model, address);
    if (address == MODEL_REG_STATUS) {
        model->diagnostic_failed = false;
        model->over_temperature = model->hot;
    }
    return value;
}
