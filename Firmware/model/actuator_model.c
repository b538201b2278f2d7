// The two actuators, solved in closed form for each stretch in which their law does not change.
#include "actuator_model.h"

#include <math.h>

#define FULL_DRIVE 255.0
#define TWO_PI 6.283185307179586
#define NEVER_S ((double)INFINITY)

// The automatic brake of closed loop ends below this amplitude.
#define BRAKE_DONE_AMPLITUDE 0.02

// Below this part of its rated speed a motor that is no longer driven stands still: bearing
// friction, which the equation leaves out, stops it. Estimate.
#define STANDSTILL_RATIO 0.01

// Below this an amplitude has no phase worth keeping.
#define NO_AMPLITUDE 1e-12

// The stop of the mass is looked at in pieces of this length.
#define STOP_STEP_S 0.0005

// f0, Q and acceleration: estimates within the field of 10 mm coins (Q 8-20, 1.0-2.0 g). Clamp:
// 3.54 V peak over 2.5 V rms, the pair published for VG1040003D.
const struct actuator_lra_parameters actuator_lra_coin_10mm = {
    .resonance_hz = 170.0,
    .quality = 10.0,
    .rated_acceleration_g = 1.5,
    .full_scale_ratio = 1.0,
    .clamp_ratio = 1.41,
    .stop_ratio = 1.5,
};

// Sheet B1034.FL45-00-015: rated 3.0 V, start 2.0 V, 13000 rpm. Estimates: running voltage, time
// constant (a third of the rise of 100-140 ms that ROM library D is made for), acceleration.
const struct actuator_erm_parameters actuator_erm_coin_b1034 = {
    .rated_voltage_v = 3.0,
    .rated_speed_rad_s = 1361.0,
    .start_voltage_v = 2.0,
    .running_voltage_v = 0.8,
    .full_scale_voltage_v = 3.0,
    .time_constant_s = 0.040,
    .rated_acceleration_g = 0.8,
};

void actuator_model_init_lra(struct actuator_model *model,
                             const struct actuator_lra_parameters *parameters) {
    *model = (struct actuator_model){.kind = ACTUATOR_LRA, .closed_loop = true};
    model->parameters.lra = *parameters;
}

void actuator_model_init_erm(struct actuator_model *model,
                             const struct actuator_erm_parameters *parameters) {
    *model = (struct actuator_model){.kind = ACTUATOR_ERM};
    model->parameters.erm = *parameters;
}

// The value after `seconds` of a first-order approach from `start` to `goal`.
static double approach(double start, double goal, double seconds, double time_constant_s) {
    return goal + (start - goal) * exp(-seconds / time_constant_s);
}

// How long such an approach takes to reach `level`; infinite if it does not pass it.
static double approach_time_s(double start, double goal, double level, double time_constant_s) {
    double ratio = (start - goal) / (level - goal);
    return ratio >= 1.0 ? time_constant_s * log(ratio) : NEVER_S;
}

// ---- LRA ----

static double lra_time_constant_s(const struct actuator_model *model) {
    const struct actuator_lra_parameters *lra = &model->parameters.lra;
    return lra->quality / (0.5 * TWO_PI * lra->resonance_hz);
}

static double lra_amplitude(const struct actuator_model *model) {
    return hypot(model->amplitude_real, model->amplitude_imaginary);
}

// Sets the size of the amplitude and keeps its phase.
static void set_lra_amplitude(struct actuator_model *model, double amplitude) {
    double present = lra_amplitude(model);
    if (present < NO_AMPLITUDE) {
        model->amplitude_real = amplitude;
        model->amplitude_imaginary = 0.0;
        return;
    }
    model->amplitude_real *= amplitude / present;
    model->amplitude_imaginary *= amplitude / present;
}

// One stretch of closed loop: towards the target with all that the clamp allows, then held. Returns
// the time that is left. The brake for a lower target works as the one for rest (estimate).
static double advance_lra_to_target(struct actuator_model *model, double target, double seconds) {
    double amplitude = lra_amplitude(model);
    double clamp = fmax(model->parameters.lra.clamp_ratio, target);
    double goal = amplitude < target ? clamp : -clamp;
    double level = target > 0.0 ? target : BRAKE_DONE_AMPLITUDE;
    double needed = approach_time_s(amplitude, goal, level, lra_time_constant_s(model));
    if (needed > seconds) {
        set_lra_amplitude(model, approach(amplitude, goal, seconds, lra_time_constant_s(model)));
        return 0.0;
    }
    set_lra_amplitude(model, level);
    return seconds - needed;
}

static void advance_lra_closed_loop(struct actuator_model *model, double target, double seconds) {
    double left = seconds;
    if (target > 0.0) {
        advance_lra_to_target(model, target, left);
        return;
    }
    if (lra_amplitude(model) > BRAKE_DONE_AMPLITUDE) {
        left = advance_lra_to_target(model, 0.0, left);
    }
    if (left > 0.0) {
        double amplitude = lra_amplitude(model);
        set_lra_amplitude(model, approach(amplitude, 0.0, left, lra_time_constant_s(model)));
    }
}

// A(t) = S + (A(0) - S) e^(-Lt) with L = 1/tau - j 2 pi (f - f0) and S = u / (tau L).
static void relax_lra(struct actuator_model *model, double u, double seconds) {
    double tau = lra_time_constant_s(model);
    double detuning = TWO_PI * model->frequency_offset_hz * tau;
    double steady_real = u / (1.0 + detuning * detuning);
    double steady_imaginary = steady_real * detuning;
    double real = model->amplitude_real - steady_real;
    double imaginary = model->amplitude_imaginary - steady_imaginary;
    double decay = exp(-seconds / tau);
    double cosine = decay * cos(detuning * seconds / tau);
    double sine = decay * sin(detuning * seconds / tau);
    model->amplitude_real = steady_real + real * cosine - imaginary * sine;
    model->amplitude_imaginary = steady_imaginary + real * sine + imaginary * cosine;
}

// The exact solution stays below its start and its steady state together; only where these could
// reach the stop is the stretch cut.
static bool may_reach_stop(const struct actuator_model *model, double u) {
    return lra_amplitude(model) + 2.0 * fabs(u) > model->parameters.lra.stop_ratio;
}

static void advance_lra_open_loop(struct actuator_model *model, double u, double seconds) {
    double left = seconds;
    // After 20 time constants nothing of the start is left to move about.
    double settling = 20.0 * lra_time_constant_s(model);
    while (left > 0.0) {
        bool whole = !may_reach_stop(model, u) || left > settling;
        double step = whole ? left : fmin(left, STOP_STEP_S);
        relax_lra(model, u, step);
        left -= step;
        if (lra_amplitude(model) > model->parameters.lra.stop_ratio) {
            set_lra_amplitude(model, model->parameters.lra.stop_ratio);
        }
    }
}

static void advance_lra(struct actuator_model *model, double drive, double seconds) {
    double u = drive * model->parameters.lra.full_scale_ratio;
    if (model->closed_loop) {
        advance_lra_closed_loop(model, fmax(u, 0.0), seconds);
    } else {
        advance_lra_open_loop(model, u, seconds);
    }
}

// ---- ERM ----

// Speed the motor would turn at in the end, signed; 0 without the voltage to go on turning.
static double erm_steady_speed(const struct actuator_erm_parameters *erm, double volts) {
    double useful = fabs(volts) - erm->running_voltage_v;
    if (useful <= 0.0) {
        return 0.0;
    }
    double speed =
        erm->rated_speed_rad_s * useful / (erm->rated_voltage_v - erm->running_voltage_v);
    return volts < 0.0 ? -speed : speed;
}

// One stretch up to standstill or to the end. Returns the time that is left.
static double advance_erm_turning(struct actuator_model *model, double volts, double seconds) {
    const struct actuator_erm_parameters *erm = &model->parameters.erm;
    double direction = model->speed_rad_s < 0.0 ? -1.0 : 1.0;
    double speed = fabs(model->speed_rad_s);
    double goal = direction * erm_steady_speed(erm, volts);
    // Reverse drive takes the speed through 0; without drive it fades until friction has it.
    double standstill = goal < 0.0 ? 0.0 : erm->rated_speed_rad_s * STANDSTILL_RATIO;
    double needed = NEVER_S;
    if (goal <= 0.0) {
        needed = speed <= standstill
                     ? 0.0
                     : approach_time_s(speed, goal, standstill, erm->time_constant_s);
    }
    if (needed > seconds) {
        model->speed_rad_s = direction * approach(speed, goal, seconds, erm->time_constant_s);
        return 0.0;
    }
    model->speed_rad_s = 0.0;
    return seconds - needed;
}

static void advance_erm(struct actuator_model *model, double drive, double seconds) {
    const struct actuator_erm_parameters *erm = &model->parameters.erm;
    double volts = drive * erm->full_scale_voltage_v;
    double left = seconds;
    if (model->speed_rad_s < 0.0 || model->speed_rad_s > 0.0) {
        left = advance_erm_turning(model, volts, left);
    }
    if (left > 0.0 && fabs(volts) >= erm->start_voltage_v) {
        model->speed_rad_s =
            approach(0.0, erm_steady_speed(erm, volts), left, erm->time_constant_s);
    }
}

// ---- Both ----

void actuator_model_advance(struct actuator_model *model, uint64_t now_us, int16_t drive) {
    if (now_us <= model->now_us) {
        return;
    }
    double seconds = (double)(now_us - model->now_us) * 1e-6;
    model->now_us = now_us;
    if (model->kind == ACTUATOR_LRA) {
        advance_lra(model, drive / FULL_DRIVE, seconds);
    } else {
        advance_erm(model, drive / FULL_DRIVE, seconds);
    }
}

double actuator_model_acceleration_g(const struct actuator_model *model) {
    if (model->kind == ACTUATOR_LRA) {
        return model->parameters.lra.rated_acceleration_g * lra_amplitude(model);
    }
    const struct actuator_erm_parameters *erm = &model->parameters.erm;
    double ratio = model->speed_rad_s / erm->rated_speed_rad_s;
    return erm->rated_acceleration_g * ratio * ratio;
}

double actuator_model_frequency_hz(const struct actuator_model *model) {
    if (model->kind == ACTUATOR_ERM) {
        return fabs(model->speed_rad_s) / TWO_PI;
    }
    double offset = model->closed_loop ? 0.0 : model->frequency_offset_hz;
    return model->parameters.lra.resonance_hz + offset;
}
