#include "motion_model.h"

#include <math.h>
#include <string.h>

#define TWO_PI 6.283185307179586

static void advance(struct motion_vibration *vibration, uint64_t now_us) {
    if (now_us <= vibration->actuator.now_us) {
        return;
    }
    double seconds = (double)(now_us - vibration->actuator.now_us) * 1e-6;
    actuator_model_advance(&vibration->actuator, now_us, vibration->drive);
    double frequency_hz = vibration->frequency_hz > 0.0
                              ? vibration->frequency_hz
                              : actuator_model_frequency_hz(&vibration->actuator);
    double turned = vibration->phase_rad + TWO_PI * seconds * frequency_hz;
    vibration->phase_rad = turned - TWO_PI * (double)(int64_t)(turned / TWO_PI);
}

// Returns the acceleration of an actuator with a band, relative to that of a free mass.
static double response(const struct motion_vibration *vibration) {
    if (vibration->resonance_hz <= 0.0 || vibration->frequency_hz <= 0.0) {
        return 1.0;
    }
    double ratio = vibration->frequency_hz / vibration->resonance_hz;
    double square = ratio * ratio;
    return square / hypot(1.0 - square, ratio / vibration->quality);
}

static void sense(void *owner, uint64_t now_us, double g[ACCELEROMETER_AXES]) {
    struct motion_model *model = owner;
    memcpy(g, model->gravity_g, sizeof model->gravity_g);
    for (unsigned index = 0; index < MOTION_ACTUATORS_MAX; index++) {
        struct motion_vibration *vibration = &model->vibrations[index];
        advance(vibration, now_us);
        double acceleration_g = actuator_model_acceleration_g(&vibration->actuator) *
                                response(vibration) * cos(vibration->phase_rad);
        for (unsigned axis = 0; axis < ACCELEROMETER_AXES; axis++) {
            g[axis] += acceleration_g * vibration->direction[axis];
        }
    }
}

static void set_lra(struct motion_vibration *vibration, uint64_t now_us) {
    *vibration = (struct motion_vibration){.direction = {0.0, 0.0, 1.0}};
    actuator_model_init_lra(&vibration->actuator, &actuator_lra_coin_10mm);
    vibration->actuator.now_us = now_us;
}

static void set_erm(struct motion_vibration *vibration, uint64_t now_us, bool closed_loop) {
    *vibration = (struct motion_vibration){.direction = {1.0, 0.0, 0.0}};
    actuator_model_init_erm(&vibration->actuator, &actuator_erm_coin_b1034);
    vibration->actuator.closed_loop = closed_loop;
    vibration->actuator.now_us = now_us;
}

void motion_model_init(struct motion_model *model, enum accelerometer_kind kind, uint64_t now_us) {
    memset(model, 0, sizeof *model);
    for (unsigned index = 0; index < MOTION_ACTUATORS_MAX; index++) {
        set_lra(&model->vibrations[index], now_us);
    }
    model->gravity_g[2] = 1.0;
    accelerometer_model_init(&model->sensor, kind, now_us);
    model->sensor.acceleration = sense;
    model->sensor.owner = model;
}

// Returns the vibration of an actuator after the board has been advanced to a time.
static struct motion_vibration *vibration_at(struct motion_model *model, uint64_t now_us,
                                             unsigned actuator) {
    accelerometer_model_advance(&model->sensor, now_us);
    struct motion_vibration *vibration = &model->vibrations[actuator];
    advance(vibration, now_us);
    return vibration;
}

void motion_model_connect(struct motion_model *model, uint64_t now_us, unsigned actuator,
                          bool is_lra, bool closed_loop) {
    struct motion_vibration *vibration = vibration_at(model, now_us, actuator);
    bool was_lra = vibration->actuator.kind == ACTUATOR_LRA;
    if (is_lra && !was_lra) {
        set_lra(vibration, now_us);
    } else if (!is_lra && (was_lra || vibration->actuator.closed_loop != closed_loop)) {
        set_erm(vibration, now_us, closed_loop);
    }
}

void motion_model_drive(struct motion_model *model, uint64_t now_us, unsigned actuator,
                        int16_t drive) {
    vibration_at(model, now_us, actuator)->drive = drive;
}

void motion_model_tune(struct motion_model *model, uint64_t now_us, unsigned actuator,
                       double frequency_hz) {
    vibration_at(model, now_us, actuator)->frequency_hz = frequency_hz;
}
