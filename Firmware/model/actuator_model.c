// The models of the LRA and the ERM. Each interval in which the equation of a model does not change
// is solved in closed form.
#include "actuator_model.h"

#include <math.h>

#define FULL_DRIVE 255.0
#define TWO_PI 6.283185307179586
#define NEVER_S ((double)INFINITY)

// The amplitude below which the automatic brake of the closed loop ends.
#define BRAKE_DONE_AMPLITUDE 0.02

// The fraction of the rated speed below which an undriven motor stops because of bearing friction,
// which the equation does not include. The value is an estimate.
#define STANDSTILL_RATIO 0.01

// The amplitude below which the phase is discarded, and an undriven actuator is at rest.
#define NO_AMPLITUDE 1e-12

// The difference below which two relative speeds are considered equal.
#define NO_SPEED 1e-12

// The interval at which the model checks whether the mass has reached its stop.
#define STOP_STEP_S 0.0005

// The values of f0, Q and acceleration are estimates within the range of 10 mm coin actuators (Q
// 8-20, 1.0-2.0 g). The clamp ratio is 3.54 V peak over 2.5 V rms, the values published for the
// VG1040003D.
const struct actuator_lra_parameters actuator_lra_coin_10mm = {
    .resonance_hz = 170.0,
    .quality = 10.0,
    .rated_acceleration_g = 1.5,
    .full_scale_ratio = 1.0,
    .clamp_ratio = 1.41,
    .stop_ratio = 1.5,
};

// From the datasheet B1034.FL45-00-015: rated voltage 3.0 V, start voltage 2.0 V, 13000 rpm.
// Estimates: running voltage, time constant (a third of the rise time of 100-140 ms for which ROM
// library D is designed), acceleration, loop gain. The brake factor is 4x, the chip's value after a
// reset.
const struct actuator_erm_parameters actuator_erm_coin_b1034 = {
    .rated_voltage_v = 3.0,
    .rated_speed_rad_s = 1361.0,
    .start_voltage_v = 2.0,
    .running_voltage_v = 0.8,
    .full_scale_voltage_v = 3.0,
    .time_constant_s = 0.040,
    .rated_acceleration_g = 0.8,
    .clamp_voltage_v = 3.6,
    .loop_gain = 2.0,
    .brake_factor = 4.0,
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

// Returns the value after `seconds` of a first-order approach from `start` to `goal`.
static double approach(double start, double goal, double seconds, double time_constant_s) {
    return goal + (start - goal) * exp(-seconds / time_constant_s);
}

// Returns the time that a first-order approach takes to reach `level`; infinite if the approach
// never reaches `level`.
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

// Sets the magnitude of the amplitude and keeps its phase.
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

// Simulates one interval in closed loop. The amplitude approaches the target with the maximum drive
// that the clamp permits, and then stays constant. Returns the remaining time. Braking to a lower
// target is modeled in the same way as braking to rest (an estimate).
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

// True if the amplitude could reach the mechanical stop, so the interval must be divided. The
// exact solution never exceeds the sum of the initial and the steady-state amplitude.
static bool may_reach_stop(const struct actuator_model *model, double u) {
    return lra_amplitude(model) + 2.0 * fabs(u) > model->parameters.lra.stop_ratio;
}

static void advance_lra_open_loop(struct actuator_model *model, double u, double seconds) {
    double left = seconds;
    // After 20 time constants, the influence of the initial amplitude is negligible.
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
    // Brings an undriven actuator to rest. According to the equation alone, the actuator would
    // vibrate forever.
    if (fabs(u) < NO_AMPLITUDE && lra_amplitude(model) < NO_AMPLITUDE) {
        set_lra_amplitude(model, 0.0);
    }
}

// ---- ERM ----

// Returns the steady speed of the motor, signed; 0 if the voltage is too low for the motor to keep
// turning.
static double erm_steady_speed(const struct actuator_erm_parameters *erm, double volts) {
    double useful = fabs(volts) - erm->running_voltage_v;
    if (useful <= 0.0) {
        return 0.0;
    }
    double speed =
        erm->rated_speed_rad_s * useful / (erm->rated_voltage_v - erm->running_voltage_v);
    return volts < 0.0 ? -speed : speed;
}

// Simulates one interval, until the motor stops or the time has elapsed. Returns the
// remaining time.
static double advance_erm_turning(struct actuator_model *model, double volts, double seconds) {
    const struct actuator_erm_parameters *erm = &model->parameters.erm;
    double direction = model->speed_rad_s < 0.0 ? -1.0 : 1.0;
    double speed = fabs(model->speed_rad_s);
    double goal = direction * erm_steady_speed(erm, volts);
    // Reverse drive brings the speed through 0; without drive the speed decays until friction stops
    // the motor.
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

static void advance_erm_open_loop(struct actuator_model *model, double drive, double seconds) {
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

// ---- ERM in closed loop ----

#define LOOP_CORNERS 6

// The parameters of an ERM in closed loop. Speeds are relative to the rated speed.
struct erm_loop {
    const struct actuator_erm_parameters *erm;
    // The drive as a fraction of full drive. The same number is the target speed, relative to the
    // rated speed.
    double target;
};

// Returns the loop gain. `brakes` is true if the speed is above the target; the gain is then
// different.
static double loop_gain(const struct erm_loop *loop, bool brakes) {
    return loop->erm->loop_gain * (brakes ? loop->erm->brake_factor : 1.0);
}

// Returns the voltage that the loop outputs at a speed.
static double loop_voltage(const struct erm_loop *loop, double speed) {
    const struct actuator_erm_parameters *erm = loop->erm;
    double error = loop->target - speed;
    double volts =
        erm->full_scale_voltage_v * (loop->target + loop_gain(loop, error < 0.0) * error);
    return fmin(fmax(volts, -erm->clamp_voltage_v), erm->clamp_voltage_v);
}

// Returns the speed at which the loop would output a voltage if there were no clamp; infinite if
// the loop would not output the voltage at any speed.
static double loop_speed(const struct erm_loop *loop, double volts) {
    double excess = loop->target - volts / loop->erm->full_scale_voltage_v;
    double gain = loop_gain(loop, excess > 0.0);
    if (gain > 0.0) {
        return loop->target + excess / gain;
    }
    return excess > 0.0 ? NEVER_S : -NEVER_S;
}

// Returns the rate at which a speed changes, multiplied by the time constant.
static double loop_pull(const struct erm_loop *loop, double speed) {
    return erm_steady_speed(loop->erm, loop_voltage(loop, speed)) / loop->erm->rated_speed_rad_s -
           speed;
}

// Returns the end of the range of speeds above or below `speed` in which the torque is linear.
static double loop_corner(const struct erm_loop *loop, double speed, bool rises) {
    const struct actuator_erm_parameters *erm = loop->erm;
    double corners[LOOP_CORNERS] = {
        STANDSTILL_RATIO,
        loop->target,
        loop_speed(loop, erm->clamp_voltage_v),
        loop_speed(loop, erm->running_voltage_v),
        loop_speed(loop, -erm->running_voltage_v),
        loop_speed(loop, -erm->clamp_voltage_v),
    };
    double nearest = rises ? NEVER_S : 0.0;
    for (int index = 0; index < LOOP_CORNERS; index++) {
        double corner = corners[index];
        if (rises && corner > speed + NO_SPEED) {
            nearest = fmin(nearest, corner);
        } else if (!rises && corner < speed - NO_SPEED) {
            nearest = fmax(nearest, corner);
        }
    }
    return nearest;
}

// Simulates one interval in closed loop in which the torque is linear. Returns the remaining time.
static double advance_erm_interval(const struct erm_loop *loop, double *speed, double seconds) {
    double pull = loop_pull(loop, *speed);
    if (fabs(pull) < NO_SPEED) {
        return 0.0;
    }
    double corner = loop_corner(loop, *speed, pull > 0.0);
    double other = isinf(corner) ? *speed + 1.0 : corner;
    double steepness = (pull - loop_pull(loop, other)) / (other - *speed);
    double time_constant_s = loop->erm->time_constant_s / steepness;
    double goal = *speed + pull / steepness;
    double needed = approach_time_s(*speed, goal, corner, time_constant_s);
    // The speed approaches the target asymptotically and never reaches it.
    bool stays = isinf(corner) || fabs(goal - *speed) <= fabs(corner - *speed);
    if (stays || needed > seconds) {
        *speed = approach(*speed, goal, seconds, time_constant_s);
        return 0.0;
    }
    *speed = corner;
    return seconds - needed;
}

static void advance_erm_closed_loop(struct actuator_model *model, double drive, double seconds) {
    const struct actuator_erm_parameters *erm = &model->parameters.erm;
    struct erm_loop loop = {.erm = erm, .target = fmax(drive, 0.0)};
    double speed = model->speed_rad_s / erm->rated_speed_rad_s;
    double left = seconds;
    while (left > 0.0) {
        bool stands = speed <= STANDSTILL_RATIO;
        if (stands && loop_voltage(&loop, 0.0) < erm->start_voltage_v) {
            speed = 0.0;
            break;
        }
        left = advance_erm_interval(&loop, &speed, left);
    }
    model->speed_rad_s = speed * erm->rated_speed_rad_s;
}

static void advance_erm(struct actuator_model *model, double drive, double seconds) {
    if (model->closed_loop) {
        advance_erm_closed_loop(model, drive, seconds);
    } else {
        advance_erm_open_loop(model, drive, seconds);
    }
}

// ---- Both actuators ----

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
