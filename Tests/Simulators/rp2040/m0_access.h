// The common parts of instructions: registers, flags, and accesses to memory.
#ifndef M0_ACCESS_H
#define M0_ACCESS_H

#include "m0.h"

// ---- Memory ----

bool m0_load_elsewhere(struct m0 *cpu, uint32_t address, unsigned size, uint32_t *value);
bool m0_store_elsewhere(struct m0 *cpu, uint32_t address, unsigned size, uint32_t value);

static inline bool m0_is_in_sram(const struct m0 *cpu, uint32_t address, unsigned size) {
    return address - cpu->sram_base < cpu->sram_size && (address & (size - 1)) == 0;
}

// Accesses SRAM, little-endian on every host computer.
static inline uint32_t m0_get(const uint8_t *bytes, unsigned size) {
    uint32_t value = bytes[0];
    if (size > 1) {
        value |= (uint32_t)bytes[1] << 8;
    }
    if (size > 2) {
        value |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    }
    return value;
}

static inline void m0_put(uint8_t *bytes, unsigned size, uint32_t value) {
    bytes[0] = (uint8_t)value;
    if (size > 1) {
        bytes[1] = (uint8_t)(value >> 8);
    }
    if (size > 2) {
        bytes[2] = (uint8_t)(value >> 16);
        bytes[3] = (uint8_t)(value >> 24);
    }
}

// Access memory. If the access causes a HardFault, these functions return false. An access to SRAM
// takes one additional cycle.
static inline bool m0_load(struct m0 *cpu, uint32_t address, unsigned size, uint32_t *value) {
    if (!m0_is_in_sram(cpu, address, size)) {
        return m0_load_elsewhere(cpu, address, size, value);
    }
    *value = m0_get(&cpu->sram[address - cpu->sram_base], size);
    cpu->elapsed++;
    return true;
}

static inline bool m0_store(struct m0 *cpu, uint32_t address, unsigned size, uint32_t value) {
    if (!m0_is_in_sram(cpu, address, size)) {
        return m0_store_elsewhere(cpu, address, size, value);
    }
    m0_put(&cpu->sram[address - cpu->sram_base], size, value);
    cpu->elapsed++;
    return true;
}

// ---- Registers ----

// Reads a register. As an operand, the program counter is ahead by two instructions (A5.1.2).
static inline uint32_t m0_operand(const struct m0 *cpu, unsigned number) {
    return number == M0_PC ? cpu->r[M0_PC] + 4 : cpu->r[number];
}

static inline void m0_set_sp(struct m0 *cpu, uint32_t value) {
    cpu->r[M0_SP] = value & ~3u;
    if (cpu->r[M0_SP] < cpu->lowest_stack) {
        cpu->lowest_stack = cpu->r[M0_SP];
    }
}

// Executes a branch, which takes one additional cycle.
static inline void m0_branch(struct m0 *cpu, uint32_t address) {
    cpu->next = address & ~1u;
    cpu->elapsed++;
}

// Branches like BX. An even address causes a HardFault at the target, because Thumb is the only
// state. An address with an EXC_RETURN value ends a handler.
void m0_branch_exchange(struct m0 *cpu, uint32_t address);

// ---- Flags ----

static inline void m0_set_nz(struct m0 *cpu, uint32_t result) {
    cpu->negative = result;
    cpu->not_zero = result;
}

// Implements AddWithCarry of the pseudocode (A2.2.1).
static inline uint32_t m0_add(struct m0 *cpu, uint32_t a, uint32_t b, uint32_t carry) {
    uint64_t sum = (uint64_t)a + b + carry;
    uint32_t result = (uint32_t)sum;
    cpu->carry = (uint32_t)(sum >> 32);
    cpu->overflow = (~(a ^ b) & (a ^ result)) >> 31;
    m0_set_nz(cpu, result);
    return result;
}

#endif
