// A model of the vibration of an LRA or an ERM behind a haptic driver.
//
// Every acceleration is a prediction that has not been calibrated by measurements. The equations
// describe a linear oscillator and a first-order motor. The comment on each set of default
// parameters names the sources of the values or states how certain the values are.
//
// The state of the LRA is its envelope, a complex amplitude A relative to the rated amplitude:
//     dA/dt = -A / tau + j 2 pi (f - f0) A + u / tau,   tau = Q / (pi f0)
// This envelope deviates from the response of the full resonator by at most 0.03 at frequencies up
// to 30 Hz from a resonance of 170 Hz. The state of the ERM is its speed w:
//     tau dw/dt = w_ss(V) - w,   w_ss = w_rated (|V| - V_run) / (V_rated - V_run),   a ~ w^2
// In closed loop, the driver measures the speed from the back-EMF of the motor, and adds the
// amplified difference between target and speed to the target (SLOS854D 7.3, automatic overdrive
// and braking). V_full is the voltage of full drive, and u is the drive as a fraction of V_full:
//     V = V_full (u + gain (u - w / w_rated)),   -clamp <= V <= clamp
//
// The model solves each interval of constant drive in closed form. The model divides an interval at
// each time at which the equation changes (the target is reached, the clamp no longer limits the
// drive, the brake ends, the motor stops), so that the result does not depend on the step size.
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
    // The ratio of the voltage of full drive (255) to the rated voltage, > 0. The ratio is 1 if
    // full scale is RATED_VOLTAGE; in open loop, it is OD_CLAMP divided by the rated voltage.
    double full_scale_ratio;
    // The ratio of the maximum voltage with which the closed loop accelerates or brakes to the
    // rated voltage, >= 1. A ratio of 1 means no overdrive.
    double clamp_ratio;
    // The amplitude at which the mass hits its mechanical stop, relative to the rated amplitude.
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
    // Closed loop: the maximum voltage, forward and in reverse, as set by OD_CLAMP.
    double clamp_voltage_v;
    // Closed loop: the gain for a speed below the target, >= 0, as set by LOOP_GAIN. The datasheet
    // lists four steps of the gain but specifies no numbers.
    double loop_gain;
    // Closed loop: the ratio of the gain above the target speed to the gain below it, >= 0, as set
    // by FB_BRAKE_FACTOR. A ratio of 0 disables the brake.
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
    // True for closed loop, in which the driver overdrives and brakes automatically, and follows
    // the resonance of an LRA. The default is true for an LRA and false for an ERM. This setting
    // must not be changed while an ERM turns in reverse.
    bool closed_loop;
    double frequency_offset_hz; // drive frequency minus f0 of an LRA in open loop; default 0
    // State.
    uint64_t now_us;
    double amplitude_real; // LRA: relative to the rated amplitude
    double amplitude_imaginary;
    double speed_rad_s; // ERM: negative in reverse
};

// A coin LRA of 10 mm: 170 Hz, Q 10, 1.5 g. The values are uncertain: real parts have a Q of 8-20
// and an acceleration of 1.0-2.0 g.
extern const struct actuator_lra_parameters actuator_lra_coin_10mm;

// A coin ERM of 10 mm. The rated voltage, the start voltage and the speed are from the datasheet
// B1034.FL45-00-015. The running voltage, the time constant and the acceleration are estimates. The
// loop gain of 2 is also an estimate: values from 1 to 3 are equally likely.
extern const struct actuator_erm_parameters actuator_erm_coin_b1034;

// Initializes an actuator at rest at time 0.
void actuator_model_init_lra(struct actuator_model *model,
                             const struct actuator_lra_parameters *parameters);
void actuator_model_init_erm(struct actuator_model *model,
                             const struct actuator_erm_parameters *parameters);

// Advances the actuator to `now_us`, in microseconds of a clock that never wraps. `drive` is the
// drive since the last call, -255...255 of full scale; a negative drive is reverse. The call has no
// effect if `now_us` is earlier than in the last call.
void actuator_model_advance(struct actuator_model *model, uint64_t now_us, int16_t drive);

// Returns the predicted, uncalibrated peak acceleration of the vibration at the time of the last
// advance, in g, >= 0.
double actuator_model_acceleration_g(const struct actuator_model *model);

// Returns the frequency of the vibration in Hz: the drive frequency of an LRA, or the rotation
// frequency of an ERM.
double actuator_model_frequency_hz(const struct actuator_model *model);

#endif
