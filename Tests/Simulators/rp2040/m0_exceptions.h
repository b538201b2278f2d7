// Entry into exceptions and return from them (Arm DDI 0419E B1.5.6 to B1.5.8, B1.5.12).
#ifndef M0_EXCEPTIONS_H
#define M0_EXCEPTIONS_H

#include "m0.h"

// An address to branch to that ends a handler (B1.5.8).
static inline bool m0_is_exc_return(uint32_t address) { return address >= 0xF0000000u; }

// Whether an exception is pending that may interrupt what is running.
bool m0_is_interrupted(const struct m0 *cpu);

// Puts the frame on the stack. Which exception it is for is decided at the end (m0_take_vector):
// one that comes in between may be more urgent.
void m0_begin_entry(struct m0 *cpu);
void m0_take_vector(struct m0 *cpu);

// Sets `next` to where the interrupted program goes on, or to another handler.
void m0_return(struct m0 *cpu, uint32_t exc_return);

#endif
