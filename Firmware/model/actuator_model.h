// A model of the vibration of an LRA or an ERM behind a haptic driver.
//
// Every acceleration is predicted and uncalibrated: the equations are those of a linear oscillator
// and of a first-order motor, the parameters are defaults marked with their source or doubt.
//
// The LRA is its envelope, a complex amplitude A relative to rated:
//     dA/dt = -A / tau + j 2 pi (f - f0) A + u / tau,   tau = Q / (pi f0)
// which is within 0.03 of the full resonator's response up to 30 Hz from a 170 Hz resonance. The
// ERM is its speed w:
//     tau dw/dt = w_ss(V) - w,   w_ss = w_rated (|V| - V_run) / (V_rated - V_run),   a ~ w^2
// In closed loop the driver measures the speed by its back-EMF and adds the difference to the
// target (SLOS854D 7.3, automatic overdrive and braking). V_full is the voltage of full drive, and
// u the drive as a fraction of it:
//     V = V_full (u + gain (u - w / w_rated)),   -clamp <= V <= clamp
//
// Each interval of constant drive is solved in closed form, and divided where the equation changes
// (target reached, clamp left, brake done, motor stopped), so that the result does not depend on
// the size of the steps.
#ifndef ACTUATOR_MODEL_H
#define ACTUATOR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

// A linear resonant actuator.
struct actuator_lra_parameters {
    // Resonance f0 in Hz, > 0.
    double resonance_hz;
    // Quality Q, > 0, electrical damping included.
    double quality;
    // Acceleration of the case at rated drive and resonance, peak, in g.
    double rated_acceleration_g;
    // Voltage of full drive (255) over rated voltage, > 0. 1 where full scale is RATED_VOLTAGE;
    // OD_CLAMP over rated in open loop.
    double full_scale_ratio;
    // The greatest voltage with which the closed loop accelerates or brakes, over rated voltage, >=
    // 1: 1 is no overdrive.
    double clamp_ratio;
    // Amplitude, relative to rated, at which the mass meets its stop.
    double stop_ratio;
};

// An eccentric rotating mass motor.
struct actuator_erm_parameters {
    // Rated voltage and speed (rad/s).
    double rated_voltage_v;
    double rated_speed_rad_s;
    // The least voltage that starts a motor at rest.
    double start_voltage_v;
    // The least voltage at which a turning motor keeps turning.
    double running_voltage_v;
    // Voltage of full drive (255).
    double full_scale_voltage_v;
    // Time constant of the speed in s. Rise from 0 to 90 % of acceleration takes 2.97 of it.
    double time_constant_s;
    // Acceleration at rated speed, peak, in g.
    double rated_acceleration_g;
    // Closed loop: the greatest voltage, forwards and in reverse; OD_CLAMP.
    double clamp_voltage_v;
    // Closed loop: the gain for a missing speed, >= 0; LOOP_GAIN. The data sheet names four steps
    // and gives no numbers.
    double loop_gain;
    // Closed loop: the ratio of the gain for excess speed to that for missing speed, >= 0, 0 for no
    // brake; FB_BRAKE_FACTOR.
    double brake_factor;
};

enum actuator_kind { ACTUATOR_LRA, ACTUATOR_ERM };

struct actuator_model {
    enum actuator_kind kind;
    union {
        struct actuator_lra_parameters lra;
        struct actuator_erm_parameters erm;
    } parameters;
    // Settings, to be written at any time between calls.
    //
    // Closed loop: the driver overdrives and brakes by itself, and follows the resonance of an LRA.
    // Default: true for an LRA, false for an ERM, which is not switched while it turns in reverse.
    bool closed_loop;
    double frequency_offset_hz; // f - f0 of an LRA in open loop, default 0; else ignored
    // State.
    uint64_t now_us;
    double amplitude_real; // LRA, relative to rated
    double amplitude_imaginary;
    double speed_rad_s; // ERM, negative in reverse
};

// Coin LRA, 10 mm: 170 Hz, Q 10, 1.5 g. Doubt: Q is 8-20 and acceleration 1.0-2.0 g in the field.
extern const struct actuator_lra_parameters actuator_lra_coin_10mm;

// Coin ERM, 10 mm: data sheet B1034.FL45-00-015 for voltages and speed. Doubt: the running voltage,
// time constant and acceleration are estimates. So is the loop gain of 2: 1 to 3 are as likely.
extern const struct actuator_erm_parameters actuator_erm_coin_b1034;

// An actuator at rest at time 0.
void actuator_model_init_lra(struct actuator_model *model,
                             const struct actuator_lra_parameters *parameters);
void actuator_model_init_erm(struct actuator_model *model,
                             const struct actuator_erm_parameters *parameters);

// Advances the actuator to `now_us` (us, never wraps) under the drive since the last call:
// -255...255 of full scale, negative is reverse. An earlier `now_us` changes nothing.
void actuator_model_advance(struct actuator_model *model, uint64_t now_us, int16_t drive);

// Predicted, uncalibrated peak acceleration of the vibration at the last moment, in g, >= 0.
double actuator_model_acceleration_g(const struct actuator_model *model);

// Frequency of the vibration in Hz: the drive's for an LRA, the speed's for an ERM.
double actuator_model_frequency_hz(const struct actuator_model *model);

#endif
