// math.h: the functions that the model of the actuator requires. The browser provides the functions
// that are only declared here.
#pragma once

#define INFINITY __builtin_inff()
#define isinf(value) __builtin_isinf(value)

double exp(double value);
double log(double value);
double sin(double value);
double cos(double value);
double hypot(double one, double other);

static inline double fabs(double value) { return __builtin_fabs(value); }

static inline double fmin(double one, double other) { return one < other ? one : other; }

static inline double fmax(double one, double other) { return one > other ? one : other; }
