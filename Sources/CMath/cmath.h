/*
 * Mathematical functions of the C library, for modules that do not import the operating system.
 */
#ifndef CMATH_H
#define CMATH_H

static inline double math_log(double value) { return __builtin_log(value); }

static inline double math_exp(double value) { return __builtin_exp(value); }

static inline double math_sin(double value) { return __builtin_sin(value); }

static inline double math_pow(double base, double exponent) {
    return __builtin_pow(base, exponent);
}

static inline double math_atan2(double y, double x) { return __builtin_atan2(y, x); }

static inline double math_cos(double angle) { return __builtin_cos(angle); }

#endif
