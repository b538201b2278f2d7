// The model of an accelerometer as a library for Python (accelerometer.py). Each function takes the
// model as its first argument, so that the library knows its layout and Python does not.
#include "../../Firmware/model/accelerometer_model.h"

#include <stdlib.h>

// Returns a model that rests at the given acceleration in g.
struct accelerometer_model *sensor_new(int kind, double x, double y, double z) {
    struct accelerometer_model *model = calloc(1, sizeof *model);
    if (model) {
        accelerometer_model_init(model, (enum accelerometer_kind)kind, 0);
        model->offset_g[0] = x;
        model->offset_g[1] = y;
        model->offset_g[2] = z;
    }
    return model;
}

void sensor_free(struct accelerometer_model *model) { free(model); }

void sensor_set_id(struct accelerometer_model *model, int id) { model->who_am_i = (uint8_t)id; }

int sensor_address(const struct accelerometer_model *model) { return model->address; }

int sensor_start(struct accelerometer_model *model, uint64_t now_us, int address_byte) {
    return accelerometer_model_start(model, now_us, (uint8_t)address_byte);
}

int sensor_write(struct accelerometer_model *model, uint64_t now_us, int byte) {
    return accelerometer_model_write_byte(model, now_us, (uint8_t)byte);
}

int sensor_read(struct accelerometer_model *model, uint64_t now_us) {
    return accelerometer_model_read_byte(model, now_us);
}

void sensor_stop(struct accelerometer_model *model, uint64_t now_us) {
    accelerometer_model_stop(model, now_us);
}

// The register that the next byte accesses.
int sensor_register(const struct accelerometer_model *model) { return model->pointer; }

// The newest sample of an axis.
int sensor_output(const struct accelerometer_model *model, int axis) { return model->output[axis]; }

double sensor_rate_hz(const struct accelerometer_model *model) {
    return accelerometer_model_rate_hz(model);
}

double sensor_step_g(const struct accelerometer_model *model) {
    return accelerometer_model_step_g(model);
}

// The number of accesses that the model does not define, and the last register of them.
unsigned sensor_undefined(const struct accelerometer_model *model) {
    return model->undefined_accesses;
}

int sensor_last_undefined(const struct accelerometer_model *model) {
    return model->last_undefined_register;
}
