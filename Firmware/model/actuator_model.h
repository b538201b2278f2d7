// A model of the vibration of an LRA or an ERM behind a haptic driver.
//
// Every acceleration is predicted and uncalibrated. The equations are those of a linear oscillator
// and of a first-order motor. The parameters are defaults; a comment gives their source or states
// how certain they are.
//
// The state of the LRA is its envelope, a complex amplitude A relative to the rated amplitude:
//     dA/dt = -A / tau + j 2 pi (f - f0) A + u / tau,   tau = Q / (pi f0)
// which is within 0.03 of the full resonator's response up to 30 Hz from a 170 Hz resonance. The
// state of the ERM is its speed w:
//     tau dw/dt = w_ss(V) - w,   w_ss = w_rated (|V| - V_run) / (V_rated - V_run),   a ~ w^2
// In closed loop the driver measures the speed by its back-EMF and adds the amplified difference to
// the target (SLOS854D 7.3, automatic overdrive and braking). V_full is the voltage of full drive,
// and u is the drive as a fraction of it:
//     V = V_full (u + gain (u - w / w_rated)),   -clamp <= V <= clamp
//
// Each interval of constant drive is solved in closed form, and is divided where the equation
// changes (target reached, clamp left, brake done, motor stopped), so that the result does not
// depend on the size of the steps.
#ifndef ACTUATOR_MODEL_H
#define ACTUATOR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

// A linear resonant actuator.
struct actuator_lra_parameters {
    // Resonance f0 in Hz, > 0.
    double resonance_hz;
    // Quality factor Q, > 0, including electrical damping.
    double quality;
    // Peak acceleration of the case at rated drive and resonance, in g.
    double rated_acceleration_g;
    // Ratio of the voltage of full drive (255) to the rated voltage, > 0. It is 1 if full scale is
    // RATED_VOLTAGE, and OD_CLAMP over rated in open loop.
    double full_scale_ratio;
    // Ratio of the greatest voltage with which the closed loop accelerates or brakes to the rated
    // voltage, >= 1. 1 means no overdrive.
    double clamp_ratio;
    // Amplitude, relative to rated, at which the mass reaches its stop.
    double stop_ratio;
};

// An eccentric rotating mass motor.
struct actuator_erm_parameters {
    // Rated voltage and speed (rad/s).
    double rated_voltage_v;
    double rated_speed_rad_s;
    // The minimum voltage that starts a motor at rest.
    double start_voltage_v;
    // The minimum voltage at which a turning motor keeps turning.
    double running_voltage_v;
    // Voltage of full drive (255).
    double full_scale_voltage_v;
    // Time constant of the speed in s. The acceleration rises from 0 to 90 % within 2.97 time
    // constants.
    double time_constant_s;
    // Peak acceleration at rated speed, in g.
    double rated_acceleration_g;
    // Closed loop: the maximum voltage, forward and in reverse; OD_CLAMP.
    double clamp_voltage_v;
    // Closed loop: the gain for a speed below the target, >= 0; LOOP_GAIN. The data sheet names
    // four steps and gives no numbers.
    double loop_gain;
    // Closed loop: the ratio of the gain for excess speed to that for missing speed, >= 0; 0 means
    // no brake; FB_BRAKE_FACTOR.
    double brake_factor;
};

enum actuator_kind { ACTUATOR_LRA, ACTUATOR_ERM };

struct actuator_model {
    enum actuator_kind kind;
    union {
        struct actuator_lra_parameters lra;
        struct actuator_erm_parameters erm;
    } parameters;
    // Settings, which may be written at any time between calls.
    //
    // Closed loop: the driver overdrives and brakes by itself, and follows the resonance of an LRA.
    // Default: true for an LRA, false for an ERM. It must not be changed while an ERM turns in
    // reverse.
    bool closed_loop;
    double frequency_offset_hz; // f - f0 of an LRA in open loop, default 0; otherwise ignored
    // State.
    uint64_t now_us;
    double amplitude_real; // LRA, relative to rated
    double amplitude_imaginary;
    double speed_rad_s; // ERM, negative in reverse
};

// A coin LRA of 10 mm: 170 Hz, Q 10, 1.5 g. Uncertain: Q is 8-20 and acceleration 1.0-2.0 g in real
// parts.
extern const struct actuator_lra_parameters actuator_lra_coin_10mm;

// A coin ERM of 10 mm: data sheet B1034.FL45-00-015 for voltages and speed. Uncertain: the running
// voltage, time constant and acceleration are estimates. The loop gain of 2 is an estimate, too:
// values from 1 to 3 are equally likely.
extern const struct actuator_erm_parameters actuator_erm_coin_b1034;

// Initializes an actuator at rest at time 0.
void actuator_model_init_lra(struct actuator_model *model,
                             const struct actuator_lra_parameters *parameters);
void actuator_model_init_erm(struct actuator_model *model,
                             const struct actuator_erm_parameters *parameters);

// Advances the actuator to `now_us` (us, never wraps) with the drive since the last call:
// -255...255 of full scale, negative values are reverse. An earlier `now_us` changes nothing.
void actuator_model_advance(struct actuator_model *model, uint64_t now_us, int16_t drive);

// Returns the predicted, uncalibrated peak acceleration of the vibration at the last moment, in g,
// >= 0.
double actuator_model_acceleration_g(const struct actuator_model *model);

// Returns the frequency of the vibration in Hz: that of the drive for an LRA, that of the speed for
// an ERM.
double actuator_model_frequency_hz(const struct actuator_model *model);

#endif
