// Entry into exceptions and return from them (Arm DDI 0419E B1.5.6 to B1.5.8, B1.5.12).
#ifndef M0_EXCEPTIONS_H
#define M0_EXCEPTIONS_H

#include "m0.h"

// Returns true if a branch to this address ends a handler (B1.5.8).
static inline bool m0_is_exc_return(uint32_t address) { return address >= 0xF0000000u; }

// Returns true if a pending exception may interrupt the running code.
bool m0_is_interrupted(const struct m0 *cpu);

// Stores the frame on the stack. The exception is selected afterwards (m0_take_vector), because a
// more urgent exception may become pending in the meantime.
void m0_begin_entry(struct m0 *cpu);
void m0_take_vector(struct m0 *cpu);

// Sets `next` to the address at which the interrupted program continues, or to the address of
// another handler.
void m0_return(struct m0 *cpu, uint32_t exc_return);

#endif
