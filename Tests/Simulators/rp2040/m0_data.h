// The instructions that process data (Arm DDI 0419E A5.2.1 to A5.2.3, A5.2.5). Only m0.c uses them.
#ifndef M0_DATA_H
#define M0_DATA_H

#include "m0_access.h"

#define LOW(opcode, shift) ((opcode) >> (shift)&7u)

// ---- Shifts ----

// Shifts a value. The carry of a shift by more than 0 is the last bit that is shifted out. A shift
// by 0 leaves the carry unchanged.
static inline uint32_t m0_lsl(struct m0 *cpu, uint32_t value, uint32_t by) {
    if (by == 0) {
        return value;
    }
    cpu->carry = by <= 32 ? (uint32_t)((uint64_t)value << by >> 32 & 1) : 0;
    return by < 32 ? value << by : 0;
}

static inline uint32_t m0_lsr(struct m0 *cpu, uint32_t value, uint32_t by) {
    if (by == 0) {
        return value;
    }
    cpu->carry = by <= 32 ? (uint32_t)((uint64_t)value >> (by - 1) & 1) : 0;
    return by < 32 ? value >> by : 0;
}

static inline uint32_t m0_asr(struct m0 *cpu, uint32_t value, uint32_t by) {
    if (by == 0) {
        return value;
    }
    uint32_t sign = value >> 31 ? UINT32_MAX : 0;
    if (by >= 32) {
        cpu->carry = sign & 1;
        return sign;
    }
    cpu->carry = value >> (by - 1) & 1;
    return value >> by | sign << (32 - by);
}

static inline uint32_t m0_ror(struct m0 *cpu, uint32_t value, uint32_t by) {
    if (by == 0) {
        return value;
    }
    uint32_t places = by & 31;
    uint32_t result = places == 0 ? value : value >> places | value << (32 - places);
    cpu->carry = result >> 31;
    return result;
}

static inline void m0_set_result(struct m0 *cpu, unsigned number, uint32_t result) {
    cpu->r[number] = result;
    m0_set_nz(cpu, result);
}

// Executes LSLS, LSRS and ASRS. LSLS by 0 is MOVS; LSRS and ASRS by 0 shift by 32.
static inline void m0_shift_immediate(struct m0 *cpu, uint32_t opcode) {
    uint32_t value = cpu->r[LOW(opcode, 3)];
    uint32_t by = opcode >> 6 & 31;
    uint32_t result = 0;
    switch (opcode >> 11) {
    case 0:
        result = m0_lsl(cpu, value, by);
        break;
    case 1:
        result = m0_lsr(cpu, value, by == 0 ? 32 : by);
        break;
    default:
        result = m0_asr(cpu, value, by == 0 ? 32 : by);
        break;
    }
    m0_set_result(cpu, LOW(opcode, 0), result);
}

// ---- Adding and comparing ----

// Executes ADDS and SUBS with a register or a 3-bit value.
static inline void m0_add_three(struct m0 *cpu, uint32_t opcode) {
    uint32_t a = cpu->r[LOW(opcode, 3)];
    uint32_t b = opcode & 0x0400 ? LOW(opcode, 6) : cpu->r[LOW(opcode, 6)];
    bool subtracts = (opcode & 0x0200) != 0;
    cpu->r[LOW(opcode, 0)] = subtracts ? m0_add(cpu, a, ~b, 1) : m0_add(cpu, a, b, 0);
}

// Executes MOVS, CMP, ADDS and SUBS with an 8-bit value.
static inline void m0_immediate(struct m0 *cpu, uint32_t opcode) {
    uint32_t *to = &cpu->r[LOW(opcode, 8)];
    uint32_t value = opcode & 0xFF;
    switch (opcode >> 11 & 3) {
    case 0:
        m0_set_result(cpu, LOW(opcode, 8), value);
        break;
    case 1:
        m0_add(cpu, *to, ~value, 1);
        break;
    case 2:
        *to = m0_add(cpu, *to, value, 0);
        break;
    default:
        *to = m0_add(cpu, *to, ~value, 1);
        break;
    }
}

// ---- Two low registers (A5.2.2) ----

static inline void m0_process(struct m0 *cpu, uint32_t opcode) {
    unsigned d = LOW(opcode, 0);
    uint32_t a = cpu->r[d];
    uint32_t b = cpu->r[LOW(opcode, 3)];
    switch (opcode >> 6 & 15) {
    case 0: // ANDS
        m0_set_result(cpu, d, a & b);
        break;
    case 1: // EORS
        m0_set_result(cpu, d, a ^ b);
        break;
    case 2: // LSLS
        m0_set_result(cpu, d, m0_lsl(cpu, a, b & 0xFF));
        break;
    case 3: // LSRS
        m0_set_result(cpu, d, m0_lsr(cpu, a, b & 0xFF));
        break;
    case 4: // ASRS
        m0_set_result(cpu, d, m0_asr(cpu, a, b & 0xFF));
        break;
    case 5: // ADCS
        cpu->r[d] = m0_add(cpu, a, b, cpu->carry);
        break;
    case 6: // SBCS
        cpu->r[d] = m0_add(cpu, a, ~b, cpu->carry);
        break;
    case 7: // RORS
        m0_set_result(cpu, d, m0_ror(cpu, a, b & 0xFF));
        break;
    case 8: // TST
        m0_set_nz(cpu, a & b);
        break;
    case 9: // RSBS
        cpu->r[d] = m0_add(cpu, ~b, 0, 1);
        break;
    case 10: // CMP
        m0_add(cpu, a, ~b, 1);
        break;
    case 11: // CMN
        m0_add(cpu, a, b, 0);
        break;
    case 12: // ORRS
        m0_set_result(cpu, d, a | b);
        break;
    case 13: // MULS
        m0_set_result(cpu, d, a * b);
        break;
    case 14: // BICS
        m0_set_result(cpu, d, a & ~b);
        break;
    default: // MVNS
        m0_set_result(cpu, d, ~b);
        break;
    }
}

// ---- Any two registers (A5.2.3) ----

static inline void m0_write_any(struct m0 *cpu, unsigned number, uint32_t value) {
    if (number == M0_PC) {
        m0_branch(cpu, value);
    } else if (number == M0_SP) {
        m0_set_sp(cpu, value);
    } else {
        cpu->r[number] = value;
    }
}

// Executes ADD, CMP, MOV, BX and BLX.
static inline void m0_special(struct m0 *cpu, uint32_t opcode) {
    unsigned d = (opcode & 7) | (opcode >> 4 & 8);
    uint32_t a = m0_operand(cpu, d);
    uint32_t b = m0_operand(cpu, opcode >> 3 & 15);
    switch (opcode >> 8 & 3) {
    case 0:
        m0_write_any(cpu, d, a + b);
        break;
    case 1:
        m0_add(cpu, a, ~b, 1);
        break;
    case 2:
        m0_write_any(cpu, d, b);
        break;
    default:
        if (opcode & 0x80) {
            cpu->r[M0_LR] = cpu->next | 1;
        }
        m0_branch_exchange(cpu, b);
        break;
    }
}

// ---- Parts of words ----

static inline void m0_extend(struct m0 *cpu, uint32_t opcode) {
    uint32_t value = cpu->r[LOW(opcode, 3)];
    uint32_t *to = &cpu->r[LOW(opcode, 0)];
    switch (opcode >> 6 & 3) {
    case 0:
        *to = (uint32_t)(int16_t)value;
        break;
    case 1:
        *to = (uint32_t)(int8_t)value;
        break;
    case 2:
        *to = (uint16_t)value;
        break;
    default:
        *to = (uint8_t)value;
        break;
    }
}

// Executes REV, REV16 and REVSH.
static inline void m0_reverse(struct m0 *cpu, uint32_t opcode) {
    uint32_t value = cpu->r[LOW(opcode, 3)];
    uint32_t *to = &cpu->r[LOW(opcode, 0)];
    uint32_t halves = (value & 0x00FF00FF) << 8 | (value >> 8 & 0x00FF00FF);
    switch (opcode >> 6 & 3) {
    case 0:
        *to = halves << 16 | halves >> 16;
        break;
    case 1:
        *to = halves;
        break;
    case 3:
        *to = (uint32_t)(int16_t)halves;
        break;
    default:
        m0_fault(cpu, "an undefined instruction");
        break;
    }
}

#endif
