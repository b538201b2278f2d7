// The chip as seen at its pins: power, EN, the I2C slave, probes and faults.
#include "drv2605_model_internal.h"

#include <string.h>

// The time without a byte after which a transfer is stalled (SLOS854D p19).
#define TRANSFER_TIMEOUT_US 4330u

#define IDLE_BUS 0xFFu

void drv2605_model_init(struct drv2605_model *model, uint8_t device_id, uint64_t now_us) {
    memset(model, 0, sizeof *model);
    model->reset_time_us = 5000;
    model->supply_mv = 5000;
    model->resonance_millihertz = 170000;
    model->calibrated_compensation = 0x09;
    model->calibrated_back_emf = 0x79;
    model->calibrated_gain = 1;
    model->device_id = device_id;
    model->now_us = now_us;
    model->brown_out_at_us = MODEL_NEVER;
    model->powered = true;
    model_reset_chip(model, now_us, MODEL_START_UP_US);
}

void drv2605_model_power(struct drv2605_model *model, uint64_t now_us, bool on) {
    model_advance(model, now_us);
    if (on == model->powered) {
        return;
    }
    model->powered = on;
    model_reset_chip(model, model->now_us, MODEL_START_UP_US);
}

void drv2605_model_enable(struct drv2605_model *model, uint64_t now_us, bool high) {
    model_advance(model, now_us);
    if (high == model->enabled) {
        return;
    }
    model->enabled = high;
    if (high) {
        model->awake_at_us = model->now_us + model->wake_time_us;
        model_check_rtp_start(model);
    } else {
        model_cancel_process(model);
    }
    model_check_overcurrent(model);
    model_update_period(model);
}

// ---- The I2C slave ----

static bool is_addressable(const struct drv2605_model *model) {
    return model_is_ready(model) && !model->bus_held;
}

// Checks the time since the last byte of the transfer. The chip's own timeout does not operate in
// standby.
static void check_stall(struct drv2605_model *model) {
    if (!model->selected || model->now_us - model->transfer_at_us <= TRANSFER_TIMEOUT_US) {
        return;
    }
    model->stalled_transfers++;
    if ((model->registers[MODEL_REG_MODE] & MODEL_STANDBY) == 0) {
        model->selected = false;
    }
}

static bool consume_nack(struct drv2605_model *model) {
    if (model->nack_bytes == 0) {
        return false;
    }
    model->nack_bytes--;
    return true;
}

bool drv2605_model_start(struct drv2605_model *model, uint64_t now_us, uint8_t address_byte) {
    model_advance(model, now_us);
    check_stall(model);
    model->selected = false;
    if (address_byte >> 1 != MODEL_I2C_ADDRESS || !is_addressable(model) || consume_nack(model)) {
        return false;
    }
    model->selected = true;
    model->reading = (address_byte & 1u) != 0;
    model->pointer_next = !model->reading;
    model->transfer_at_us = model->now_us;
    return true;
}

// False while the chip is in shutdown or waking up; it then acknowledges bytes, but ignores them.
static bool is_listening(const struct drv2605_model *model) {
    return model->enabled && model->now_us >= model->awake_at_us;
}

static void take_byte(struct drv2605_model *model, uint8_t byte) {
    if (!is_listening(model)) {
        return;
    }
    if (model->pointer_next) {
        model->pointer = byte;
        model->pointer_next = false;
        return;
    }
    uint8_t address = model->pointer++;
    model_write_register(model, address, byte ^ model->flipped_bits);
    model->flipped_bits = 0;
}

bool drv2605_model_write_byte(struct drv2605_model *model, uint64_t now_us, uint8_t byte) {
    model_advance(model, now_us);
    check_stall(model);
    if (!model->selected || model->reading || !is_addressable(model) || consume_nack(model)) {
        return false;
    }
    model->transfer_at_us = model->now_us;
    take_byte(model, byte);
    return true;
}

uint8_t drv2605_model_read_byte(struct drv2605_model *model, uint64_t now_us) {
    model_advance(model, now_us);
    check_stall(model);
    if (!model->selected || !model->reading || !is_addressable(model)) {
        return model->bus_held ? 0 : IDLE_BUS;
    }
    model->transfer_at_us = model->now_us;
    if (!is_listening(model)) {
        return 0;
    }
    uint8_t address = model->pointer++;
    return model_read_register(model, address);
}

void drv2605_model_stop(struct drv2605_model *model, uint64_t now_us) {
    model_advance(model, now_us);
    check_stall(model);
    model->selected = false;
}

// ---- Probes, which read a copy of the chip that has been advanced to `now_us` ----

static struct drv2605_model model_at(const struct drv2605_model *model, uint64_t now_us) {
    struct drv2605_model copy = *model;
    model_advance(&copy, now_us);
    return copy;
}

// True if the chip does not change its state on its own until `now_us`.
static bool is_unchanged(const struct drv2605_model *model, uint64_t now_us) {
    return model->process_step_at_us > now_us && model->brown_out_at_us > now_us &&
           model->ready_at_us <= model->now_us;
}

int16_t drv2605_model_drive(const struct drv2605_model *model, uint64_t now_us) {
    if (is_unchanged(model, now_us)) {
        return model_present_drive(model);
    }
    struct drv2605_model present = model_at(model, now_us);
    return model_present_drive(&present);
}

bool drv2605_model_is_driving(const struct drv2605_model *model, uint64_t now_us) {
    return drv2605_model_drive(model, now_us) != 0;
}

uint64_t drv2605_model_next_change_us(const struct drv2605_model *model, uint64_t now_us) {
    struct drv2605_model present = model_at(model, now_us);
    uint64_t next_us = present.process_step_at_us;
    if (present.brown_out_at_us < next_us) {
        next_us = present.brown_out_at_us;
    }
    bool starting = present.powered && present.ready_at_us > present.now_us;
    return starting && present.ready_at_us < next_us ? present.ready_at_us : next_us;
}

bool drv2605_model_is_lra(const struct drv2605_model *model, uint64_t now_us) {
    struct drv2605_model present = model_at(model, now_us);
    return model_is_lra(&present);
}

bool drv2605_model_has_lra(const struct drv2605_model *model, uint64_t now_us) {
    struct drv2605_model present = model_at(model, now_us);
    return model_has_lra(&present);
}

bool drv2605_model_is_closed_loop(const struct drv2605_model *model, uint64_t now_us) {
    struct drv2605_model present = model_at(model, now_us);
    return model_is_closed_loop(&present);
}

// Calculates the frequency as f = 1 / (n x 98.46 us) (SLOS854D eq. 2).
uint32_t drv2605_model_carrier_millihertz(const struct drv2605_model *model, uint64_t now_us) {
    struct drv2605_model present = model_at(model, now_us);
    uint32_t steps =
        present.drives_open_lra ? present.period : present.registers[MODEL_REG_OL_LRA_PERIOD];
    bool tracking = !model_is_lra(&present) || model_is_closed_loop(&present);
    if (tracking || steps == 0) {
        return 0;
    }
    return (uint32_t)(UINT64_C(1000000000000) / (steps * UINT64_C(98460)));
}

bool drv2605_model_is_ready(const struct drv2605_model *model, uint64_t now_us) {
    struct drv2605_model present = model_at(model, now_us);
    return model_is_ready(&present);
}

bool drv2605_model_in_standby(const struct drv2605_model *model, uint64_t now_us) {
    return (drv2605_model_register(model, now_us, MODEL_REG_MODE) & MODEL_STANDBY) != 0;
}

bool drv2605_model_is_going(const struct drv2605_model *model, uint64_t now_us) {
    return (drv2605_model_register(model, now_us, MODEL_REG_GO) & MODEL_GO) != 0;
}

uint8_t drv2605_model_register(const struct drv2605_model *model, uint64_t now_us,
                               uint8_t address) {
    struct drv2605_model present = model_at(model, now_us);
    return model_peek_register(&present, address);
}

// ---- Faults ----

void drv2605_model_inject_over_temperature(struct drv2605_model *model, uint64_t now_us, bool hot) {
    model_advance(model, now_us);
    model->hot = hot;
    model->over_temperature = model->over_temperature || hot;
}

void drv2605_model_inject_short(struct drv2605_model *model, uint64_t now_us, bool shorted) {
    model_advance(model, now_us);
    model->overcurrent = shorted && (model->overcurrent || model_commanded_drive(model) != 0);
    model->shorted = shorted;
}

void drv2605_model_inject_nack(struct drv2605_model *model, uint32_t bytes) {
    model->nack_bytes = bytes;
}

void drv2605_model_inject_damage(struct drv2605_model *model, uint8_t bits) {
    model->flipped_bits = bits;
}

void drv2605_model_inject_brown_out(struct drv2605_model *model, uint64_t now_us, uint64_t at_us) {
    model_advance(model, now_us);
    model->brown_out_at_us = at_us > model->now_us ? at_us : model->now_us;
    model_advance(model, model->now_us);
}

void drv2605_model_inject_bus_held(struct drv2605_model *model, uint8_t release_clocks) {
    model->bus_held = true;
    model->release_clocks = release_clocks;
}

bool drv2605_model_is_bus_held(const struct drv2605_model *model) { return model->bus_held; }

void drv2605_model_clock_bus(struct drv2605_model *model) {
    if (!model->bus_held || model->release_clocks == 0) {
        return;
    }
    model->release_clocks--;
    model->bus_held = model->release_clocks != 0;
}
