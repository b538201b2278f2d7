// Special registers, hints, and the 32-bit instructions (Arm DDI 0419E A5.2.5, A5.3, B4.2).
#ifndef M0_SYSTEM_H
#define M0_SYSTEM_H

#include "m0.h"

// Executes CPS, BKPT and hints: the remaining opcodes from 1011 on.
void m0_execute_miscellaneous(struct m0 *cpu, uint32_t opcode);

// Executes a 32-bit instruction. Its first half is in the upper bits.
void m0_execute_long(struct m0 *cpu, uint32_t opcode);

#endif
