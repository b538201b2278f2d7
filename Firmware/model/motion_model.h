// A model of the motion of a board with actuators and an accelerometer: the vibration of each
// actuator as the accelerometer senses it, and gravity.
//
// The model of an actuator (actuator_model.h) predicts the envelope and the frequency of a
// vibration. This model adds the phase: the acceleration is the envelope times the cosine of the
// phase, along the direction of the actuator.
#ifndef MOTION_MODEL_H
#define MOTION_MODEL_H

#include "accelerometer_model.h"
#include "actuator_model.h"

#define MOTION_ACTUATORS_MAX 8u

struct motion_vibration {
    struct actuator_model actuator;
    double direction[ACCELEROMETER_AXES]; // a unit vector; default z for an LRA, x for an ERM
    double phase_rad;
    double frequency_hz; // the frequency of the drive in open loop; 0 for the frequency of the
                         // actuator model
    double resonance_hz; // the resonance of an actuator with a band; 0 if the actuator is equally
                         // strong at each frequency (default)
    double quality;      // the quality factor of the resonance
    int16_t drive;
};

// A board. The accelerometer contains a pointer to its board, so a copy of this struct cannot be
// used as a board.
struct motion_model {
    struct accelerometer_model sensor;
    struct motion_vibration vibrations[MOTION_ACTUATORS_MAX]; // may be written at any time
    double gravity_g[ACCELEROMETER_AXES];                     // default 0, 0, 1
};

// Initializes a board at rest whose actuators are LRAs (actuator_lra_coin_10mm).
void motion_model_init(struct motion_model *model, enum accelerometer_kind kind, uint64_t now_us);

// Reports that an actuator is an LRA, or an ERM in open or closed loop. If it was of the other kind
// so far, or an ERM in the other loop, it is replaced by actuator_lra_coin_10mm or
// actuator_erm_coin_b1034 at rest.
void motion_model_connect(struct motion_model *model, uint64_t now_us, unsigned actuator,
                          bool is_lra, bool closed_loop);

// Reports a change of the drive of an actuator, -255...255 of full scale.
void motion_model_drive(struct motion_model *model, uint64_t now_us, unsigned actuator,
                        int16_t drive);

// Reports a change of the frequency, in hertz, at which a chip drives an LRA in open loop; 0 if the
// drive follows the resonance. The acceleration depends on this frequency only if `resonance_hz` is
// set.
void motion_model_tune(struct motion_model *model, uint64_t now_us, unsigned actuator,
                       double frequency_hz);

#endif
