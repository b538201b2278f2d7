/* The thermal budget, which limits the time for which an actuator may be driven above its sustained
   level (SPEC 8). */
#include "../driver/driver.h"
#include "../support/bytes.h"
#include "../support/critical.h"
#include "actuator.h"

/* The shift that converts the budget to heat. A unit of the budget corresponds to
   BRIDGE_HEAT_STEP_US (about 1 ms) at the value 256. Heat is the square of the value, times the
   time in units of BRIDGE_HEAT_STEP_US, so the factor is 256^2 = 2^16. */
#define BUDGET_SHIFT 16

/* With a level register of seven bits, values are half as large, and their squares are a quarter as
   large. */
uint8_t actuator_heat_shift(const struct actuator *actuator) {
    return driver_takes_8_bits(&actuator->configuration) ? ACTUATOR_HEAT_SHIFT
                                                         : ACTUATOR_HEAT_SHIFT - 2;
}

BRIDGE_NOINLINE void actuator_warm(struct actuator *actuator, uint32_t heat) {
    actuator->heat += heat;
    if (actuator->heat < heat) {
        actuator->heat = UINT32_MAX;
    }
}

/* Returns the work of the actuator, and resets it to 0. Sets `now_us` to the time up to which the
   work is counted. The new value of `now_us` is later than the old value if an interrupt has
   recorded a later time. A chip that is not enabled does not drive. Interrupts are enabled during
   the multiplication, because it takes a long time. */
static uint32_t take_work(struct actuator *actuator, driven_time *now_us) {
    uint32_t work;
    uint8_t driven;
    driven_time span_us;
    BRIDGE_CRITICAL_ENTER
    work = actuator->work;
    actuator->work = 0;
    driven = actuator->driven;
    if (!actuator->is_enabled) {
        actuator->driven = 0;
    }
    span_us = (driven_time)(*now_us - actuator->driven_us);
    if (span_us > DRIVEN_SPAN_MAX) {
        *now_us = actuator->driven_us;
        span_us = 0;
    }
    actuator->driven_us = *now_us;
    BRIDGE_CRITICAL_EXIT
    return actuator_add_work(actuator, work, driven, span_us);
}

/* Compares `work` with the work that the actuator tolerates indefinitely, and adds the excess to
   the heat, or subtracts the deficit from the heat. A remainder of less than a unit of heat stays
   in `work`. */
static void balance(struct actuator *actuator, uint32_t work, uint32_t allowed, uint8_t shift) {
    if (work >= allowed) {
        uint32_t more = work - allowed;
        actuator_warm(actuator, more >> shift);
        work = more & ((1u << shift) - 1);
    } else {
        uint32_t less = allowed - work;
        uint32_t cooler = (less >> shift) + 1;
        if (actuator->heat < cooler) {
            actuator->heat = 0;
            return;
        }
        actuator->heat -= cooler;
        work = (cooler << shift) - less;
    }
    BRIDGE_CRITICAL_ENTER
    actuator->work += work;
    BRIDGE_CRITICAL_EXIT
}

bool actuator_update_thermal_budget(struct actuator *actuator, uint32_t now_us) {
    const uint8_t *bytes = actuator->configuration.bytes;
    driven_time now = (driven_time)now_us;
    driven_time span_us = (driven_time)(now - actuator->heat_us);
    if (span_us < BRIDGE_HEAT_STEP_US || span_us > DRIVEN_SPAN_MAX) {
        return false;
    }
    uint8_t sustained = bytes[CONFIGURATION_SUSTAINED];
    uint8_t shift = actuator_heat_shift(actuator);
    if (shift != ACTUATOR_HEAT_SHIFT) {
        sustained /= 2;
    }
    uint16_t square = (uint16_t)((uint16_t)sustained * sustained);
    uint32_t work = take_work(actuator, &now);
    span_us = (driven_time)(now - actuator->heat_us);
    actuator->heat_us = now;
#ifndef BRIDGE_POLLED_WITHIN_16_MS
    uint32_t longer = span_us >> 16;
    longer = longer < ACTUATOR_LONGEST ? longer : ACTUATOR_LONGEST;
    uint32_t cooler = (square * longer) << (16 - shift);
    actuator->heat = actuator->heat > cooler ? actuator->heat - cooler : 0;
#endif
    balance(actuator, work, (uint32_t)square * (uint16_t)span_us, shift);
    if (!actuator->is_configured || bytes[CONFIGURATION_SUSTAINED] == UINT8_MAX ||
        actuator->heat <= (uint32_t)bridge_u16(&bytes[CONFIGURATION_BUDGET]) << BUDGET_SHIFT) {
        actuator->is_over_budget = false;
        return false;
    }
    if (actuator->is_over_budget) {
        return false;
    }
    actuator->is_over_budget = true;
    return true;
}
