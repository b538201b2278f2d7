// Special registers, hints, and the 32-bit instructions (Arm DDI 0419E A5.2.5, A5.3, B4.2).
#ifndef M0_SYSTEM_H
#define M0_SYSTEM_H

#include "m0.h"

// Executes CPS, BKPT and hints, which are the remaining opcodes that begin with 1011.
void m0_execute_miscellaneous(struct m0 *cpu, uint32_t opcode);

// Executes a 32-bit instruction. The upper bits contain the first half of the instruction.
void m0_execute_long(struct m0 *cpu, uint32_t opcode);

#endif
