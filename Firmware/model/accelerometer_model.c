#include "accelerometer_model.h"

#include <math.h>
#include <string.h>

#include "accelerometer_model_chips.h"

#define TICKS_PER_SAMPLE 8u
#define PI 3.141592653589793
#define ROOT_2 1.4142135623730951
#define BYTES_PER_SAMPLE 6u

// The address with SA0 low, the WHO_AM_I, and the standard deviation of a sample in g.
static const struct {
    uint8_t address, who_am_i;
    double noise_g;
} chips[] = {
    [ACCELEROMETER_NONE] = {0, 0, 0.0},
    [ACCELEROMETER_LIS3DH] = {0x18, 0x33, 0.0063},
    [ACCELEROMETER_LIS2DW12] = {0x18, 0x44, 0.0018},
    [ACCELEROMETER_LSM6DSO] = {0x6A, 0x6C, 0.0015},
};

void accelerometer_model_init(struct accelerometer_model *model, enum accelerometer_kind kind,
                              uint64_t now_us) {
    memset(model, 0, sizeof *model);
    model->kind = kind;
    model->address = chips[kind].address;
    model->who_am_i = chips[kind].who_am_i;
    model->noise_g = chips[kind].noise_g;
    model->clock_ratio = 1.0;
    model->seed = 0x9E3779B97F4A7C15u;
    model->now_us = now_us;
    for (unsigned axis = 0; axis < ACCELEROMETER_AXES; axis++) {
        model->gain[axis] = 1.0;
    }
    model->powered = kind != ACCELEROMETER_NONE;
    accelerometer_chip_reset(model);
}

// ---- From the acceleration to a sample ----

// Returns a random number with an approximately normal distribution: the sum of twelve uniformly
// distributed numbers, minus 6.
static double gauss(struct accelerometer_model *model) {
    double sum = -6.0;
    for (int draw = 0; draw < 12; draw++) {
        model->seed ^= model->seed << 13;
        model->seed ^= model->seed >> 7;
        model->seed ^= model->seed << 17;
        sum += (double)(model->seed >> 11) / 9007199254740992.0;
    }
    return sum;
}

// Starts sampling at the rate that the registers select. The first sample follows one period later.
// The filter is a Butterworth low-pass, computed by the bilinear transform.
static void restart(struct accelerometer_model *model) {
    double rate_hz = accelerometer_model_rate_hz(model);
    model->tick_us = 0;
    model->ticks = 0;
    if (rate_hz <= 0) {
        return;
    }
    model->tick_us = 1e6 / (rate_hz * model->clock_ratio * TICKS_PER_SAMPLE);
    model->next_tick_us = (double)model->now_us + model->tick_us;
    double angle = PI * accelerometer_model_bandwidth_hz(model) / (rate_hz * TICKS_PER_SAMPLE);
    double warped = sin(angle) / cos(angle);
    double norm = 1.0 / (1.0 + ROOT_2 * warped + warped * warped);
    memset(&model->filter, 0, sizeof model->filter);
    model->filter.gain = warped * warped * norm;
    model->filter.feedback_1 = 2.0 * (warped * warped - 1.0) * norm;
    model->filter.feedback_2 = (1.0 - ROOT_2 * warped + warped * warped) * norm;
    if (model->acceleration) { // the filter starts settled on the current acceleration, such as
                               // gravity
        double g[ACCELEROMETER_AXES] = {0};
        model->acceleration(model->owner, model->now_us, g);
        for (unsigned axis = 0; axis < ACCELEROMETER_AXES; axis++) {
            double state = g[axis] / (1.0 + model->filter.feedback_1 + model->filter.feedback_2);
            model->filter.state_1[axis] = state;
            model->filter.state_2[axis] = state;
        }
    }
}

static double filter_step(struct accelerometer_filter *filter, unsigned axis, double input) {
    double state = input - filter->feedback_1 * filter->state_1[axis] -
                   filter->feedback_2 * filter->state_2[axis];
    double output = filter->gain * (state + 2.0 * filter->state_1[axis] + filter->state_2[axis]);
    filter->state_2[axis] = filter->state_1[axis];
    filter->state_1[axis] = state;
    return output;
}

// Returns the nearest integer. The C library cannot be used, because WebAssembly has no such
// library.
static double nearest(double value) {
    double half_up = value + 0.5;
    double whole = (double)(int64_t)half_up;
    return whole > half_up ? whole - 1.0 : whole;
}

static int16_t quantize(struct accelerometer_model *model, unsigned axis, double g) {
    double value = g * model->gain[axis] + model->offset_g[axis] + model->noise_g * gauss(model);
    unsigned unused = 16 - accelerometer_chip_bits(model);
    double steps = nearest(value / (accelerometer_model_step_g(model) * (1 << unused)));
    double limit = (double)(1 << (15 - unused));
    steps = fmin(fmax(steps, -limit), limit - 1.0);
    return (int16_t)((int)steps * (1 << unused));
}

static void store(struct accelerometer_model *model) {
    enum accelerometer_fifo_mode mode = accelerometer_chip_fifo_mode(model);
    unsigned depth = accelerometer_chip_fifo_depth(model);
    if (mode == ACCELEROMETER_FIFO_BYPASS) {
        return;
    }
    model->samples++;
    if (model->count == depth) {
        model->has_overrun = true;
        model->lost++;
        if (mode == ACCELEROMETER_FIFO_STOPS) {
            return;
        }
        model->head = (model->head + 1) % depth;
        model->count--;
    }
    memcpy(model->fifo[(model->head + model->count) % depth], model->output, sizeof model->output);
    model->count++;
}

static void tick(struct accelerometer_model *model) {
    double g[ACCELEROMETER_AXES] = {0};
    if (model->acceleration) {
        model->acceleration(model->owner, (uint64_t)model->next_tick_us, g);
    }
    bool is_sample = ++model->ticks == TICKS_PER_SAMPLE;
    for (unsigned axis = 0; axis < ACCELEROMETER_AXES; axis++) {
        double filtered = filter_step(&model->filter, axis, g[axis]);
        if (is_sample) {
            model->output[axis] = quantize(model, axis, filtered);
        }
    }
    if (is_sample) {
        model->ticks = 0;
        model->has_output = true;
        store(model);
    }
    model->next_tick_us += model->tick_us;
}

void accelerometer_model_advance(struct accelerometer_model *model, uint64_t now_us) {
    while (model->tick_us > 0 && model->next_tick_us <= (double)now_us) {
        tick(model);
    }
    if (now_us > model->now_us) {
        model->now_us = now_us;
    }
}

void accelerometer_model_power(struct accelerometer_model *model, uint64_t now_us, bool on) {
    accelerometer_model_advance(model, now_us);
    model->powered = on && model->kind != ACCELEROMETER_NONE;
    model->selected = false;
    model->count = 0;
    model->has_overrun = false;
    model->has_output = false;
    accelerometer_chip_reset(model);
    restart(model);
}

// ---- The registers ----

static void count_undefined(struct accelerometer_model *model, uint8_t address) {
    model->undefined_accesses++;
    model->last_undefined_register = address;
}

static void write_register(struct accelerometer_model *model, uint8_t address, uint8_t value) {
    if (accelerometer_chip_has_other_page(model, address)) {
        return;
    }
    if (!accelerometer_chip_is_writable(model, address)) {
        count_undefined(model, address);
        return;
    }
    model->registers[address] = value;
    if (accelerometer_chip_written(model, address)) {
        restart(model);
    }
    if (accelerometer_chip_fifo_mode(model) == ACCELEROMETER_FIFO_BYPASS) {
        model->count = 0;
        model->has_overrun = false;
    }
}

// Returns the index of a byte within a sample; -1 if the register is not part of a sample.
static int sample_byte(const struct accelerometer_model *model, uint8_t address) {
    uint8_t first = accelerometer_chip_sample_register(model);
    if (accelerometer_chip_has_other_page(model, address)) {
        return -1;
    }
    return address >= first && address < first + BYTES_PER_SAMPLE ? address - first : -1;
}

// Returns the value of a register. An empty FIFO returns the newest sample again (invented).
static uint8_t value_of(const struct accelerometer_model *model, uint8_t address) {
    uint8_t value = 0;
    int byte = sample_byte(model, address);
    if (byte >= 0) {
        const int16_t *sample = model->count ? model->fifo[model->head] : model->output;
        uint16_t bits = (uint16_t)sample[byte / 2];
        return (uint8_t)(byte & 1 ? bits >> 8 : bits);
    }
    if (accelerometer_chip_has_other_page(model, address)) {
        return 0;
    }
    if (address == ACCELEROMETER_WHO_AM_I) {
        return model->who_am_i;
    }
    return accelerometer_chip_status(model, address, &value) ? value : model->registers[address];
}

// The FIFO discards a sample when the last byte of the sample has been read, and reports an overrun
// until then.
static void has_read(struct accelerometer_model *model, uint8_t address) {
    if (sample_byte(model, address) != BYTES_PER_SAMPLE - 1) {
        return;
    }
    model->has_output = false;
    model->has_overrun = false;
    if (model->count) {
        model->head = (model->head + 1) % accelerometer_chip_fifo_depth(model);
        model->count--;
        model->tag_count++;
    }
}

// ---- The I2C slave ----

bool accelerometer_model_start(struct accelerometer_model *model, uint64_t now_us,
                               uint8_t address_byte) {
    accelerometer_model_advance(model, now_us);
    model->selected = model->powered && address_byte >> 1 == model->address;
    model->reading = address_byte & 1;
    model->pointer_next = true;
    return model->selected;
}

bool accelerometer_model_write_byte(struct accelerometer_model *model, uint64_t now_us,
                                    uint8_t byte) {
    accelerometer_model_advance(model, now_us);
    if (!model->selected || model->reading) {
        return false;
    }
    if (model->pointer_next) {
        model->pointer_next = false;
        model->pointer = byte & 0x7F;
        model->increments = byte & 0x80;
        return true;
    }
    write_register(model, model->pointer, byte);
    model->pointer = accelerometer_chip_next_register(model, model->pointer);
    return true;
}

uint8_t accelerometer_model_next_byte(const struct accelerometer_model *model) {
    return model->selected && model->reading ? value_of(model, model->pointer) : 0xFF;
}

uint8_t accelerometer_model_read_byte(struct accelerometer_model *model, uint64_t now_us) {
    accelerometer_model_advance(model, now_us);
    uint8_t value = accelerometer_model_next_byte(model);
    if (model->selected && model->reading) {
        has_read(model, model->pointer);
        model->pointer = accelerometer_chip_next_register(model, model->pointer);
    }
    return value;
}

void accelerometer_model_stop(struct accelerometer_model *model, uint64_t now_us) {
    accelerometer_model_advance(model, now_us);
    model->selected = false;
}
