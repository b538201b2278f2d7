// The instructions that load and store (Arm DDI 0419E A5.2.4, A6.7.25 to A6.7.67). Only m0.c uses
// them.
#ifndef M0_MEMORY_H
#define M0_MEMORY_H

#include "m0_access.h"

static inline void m0_load_to(struct m0 *cpu, unsigned number, uint32_t address, unsigned size) {
    uint32_t value = 0;
    if (m0_load(cpu, address, size, &value)) {
        cpu->r[number] = value;
    }
}

// Executes the loads with sign extension.
static inline void m0_load_signed(struct m0 *cpu, unsigned number, uint32_t address,
                                  unsigned size) {
    uint32_t value = 0;
    if (m0_load(cpu, address, size, &value)) {
        cpu->r[number] = size == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
    }
}

// Executes loads and stores whose address is the sum of two registers.
static inline void m0_access_sum(struct m0 *cpu, uint32_t opcode) {
    uint32_t address = cpu->r[opcode >> 3 & 7] + cpu->r[opcode >> 6 & 7];
    unsigned t = opcode & 7;
    switch (opcode >> 9 & 7) {
    case 0:
        m0_store(cpu, address, 4, cpu->r[t]);
        break;
    case 1:
        m0_store(cpu, address, 2, cpu->r[t]);
        break;
    case 2:
        m0_store(cpu, address, 1, cpu->r[t]);
        break;
    case 3:
        m0_load_signed(cpu, t, address, 1);
        break;
    case 4:
        m0_load_to(cpu, t, address, 4);
        break;
    case 5:
        m0_load_to(cpu, t, address, 2);
        break;
    case 6:
        m0_load_to(cpu, t, address, 1);
        break;
    default:
        m0_load_signed(cpu, t, address, 2);
        break;
    }
}

// Executes loads and stores whose address is the sum of a register and a 5-bit offset, in units of
// the access size.
static inline void m0_access_offset(struct m0 *cpu, uint32_t opcode, unsigned size) {
    uint32_t address = cpu->r[opcode >> 3 & 7] + (opcode >> 6 & 31) * size;
    if (opcode & 0x0800) {
        m0_load_to(cpu, opcode & 7, address, size);
    } else {
        m0_store(cpu, address, size, cpu->r[opcode & 7]);
    }
}

static inline void m0_access_stack(struct m0 *cpu, uint32_t opcode) {
    uint32_t address = cpu->r[M0_SP] + (opcode & 0xFF) * 4;
    if (opcode & 0x0800) {
        m0_load_to(cpu, opcode >> 8 & 7, address, 4);
    } else {
        m0_store(cpu, address, 4, cpu->r[opcode >> 8 & 7]);
    }
}

static inline void m0_load_literal(struct m0 *cpu, uint32_t opcode) {
    uint32_t address = (m0_operand(cpu, M0_PC) & ~3u) + (opcode & 0xFF) * 4;
    m0_load_to(cpu, opcode >> 8 & 7, address, 4);
}

// ---- Lists of registers ----

// Checks a list of registers. An empty list is unpredictable.
static inline bool m0_has_list(struct m0 *cpu, uint32_t list) {
    if (list == 0) {
        m0_fault(cpu, "an empty list of registers");
    }
    return list != 0;
}

// Executes STM. If a HardFault interrupts the instruction, the base register is not changed, so
// that the whole instruction can be executed again.
static inline bool m0_store_list(struct m0 *cpu, uint32_t address, uint32_t list) {
    for (; list != 0; list &= list - 1) {
        if (!m0_store(cpu, address, 4, cpu->r[__builtin_ctz(list)])) {
            return false;
        }
        address += 4;
    }
    return true;
}

static inline bool m0_load_list(struct m0 *cpu, uint32_t address, uint32_t list) {
    for (; list != 0; list &= list - 1) {
        if (!m0_load(cpu, address, 4, &cpu->r[__builtin_ctz(list)])) {
            return false;
        }
        address += 4;
    }
    return true;
}

static inline uint32_t m0_list_size(uint32_t list) {
    return 4 * (uint32_t)__builtin_popcount(list);
}

static inline void m0_store_multiple(struct m0 *cpu, uint32_t opcode) {
    unsigned n = opcode >> 8 & 7;
    uint32_t list = opcode & 0xFF;
    if (m0_has_list(cpu, list) && m0_store_list(cpu, cpu->r[n], list)) {
        cpu->r[n] += m0_list_size(list);
    }
}

// Executes LDM. If the list contains the base register, that register is loaded and not
// incremented.
static inline void m0_load_multiple(struct m0 *cpu, uint32_t opcode) {
    unsigned n = opcode >> 8 & 7;
    uint32_t list = opcode & 0xFF;
    uint32_t base = cpu->r[n];
    if (!m0_has_list(cpu, list)) {
        return;
    }
    if (!m0_load_list(cpu, base, list)) {
        cpu->r[n] = base;
    } else if ((list >> n & 1) == 0) {
        cpu->r[n] = base + m0_list_size(list);
    }
}

static inline void m0_push(struct m0 *cpu, uint32_t opcode) {
    uint32_t list = (opcode & 0xFF) | (opcode & 0x0100) << (M0_LR - 8);
    uint32_t address = cpu->r[M0_SP] - m0_list_size(list);
    if (m0_has_list(cpu, list) && m0_store_list(cpu, address, list)) {
        m0_set_sp(cpu, address);
    }
}

static inline void m0_pop(struct m0 *cpu, uint32_t opcode) {
    uint32_t list = opcode & 0xFF;
    uint32_t end = cpu->r[M0_SP] + m0_list_size(list);
    uint32_t target = 0;
    bool returns = (opcode & 0x0100) != 0;
    if (!m0_has_list(cpu, opcode & 0x01FF) || !m0_load_list(cpu, cpu->r[M0_SP], list) ||
        (returns && !m0_load(cpu, end, 4, &target))) {
        return;
    }
    m0_set_sp(cpu, returns ? end + 4 : end);
    if (returns) {
        cpu->elapsed++; // 3 + N cycles in total
        m0_branch_exchange(cpu, target);
    }
}

#endif
