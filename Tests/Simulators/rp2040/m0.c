#include "m0.h"

#include "m0_access.h"
#include "m0_data.h"
#include "m0_exceptions.h"
#include "m0_memory.h"
#include "m0_system.h"

#include <stddef.h>

#define OPCODE_NOP 0xBF00u

void m0_init(struct m0 *cpu, const struct m0_bus *bus, uint8_t *sram, uint32_t base,
             uint32_t size) {
    *cpu = (struct m0){.bus = *bus, .sram = sram, .sram_base = base, .sram_size = size};
}

void m0_reset(struct m0 *cpu, uint32_t stack, uint32_t start) {
    struct nvic nvic = cpu->nvic;
    struct m0_bus bus = cpu->bus;
    m0_init(cpu, &bus, cpu->sram, cpu->sram_base, cpu->sram_size);
    nvic_reset(&nvic);
    cpu->nvic = nvic;
    cpu->stack_top = stack;
    cpu->lowest_stack = stack;
    cpu->r[M0_SP] = stack;
    cpu->r[M0_PC] = start & ~1u;
    cpu->is_thumb = start & 1;
    cpu->not_zero = 1;
}

// ---- Memory outside of SRAM ----

static bool is_aligned(struct m0 *cpu, uint32_t address, unsigned size) {
    if ((address & (size - 1)) != 0) {
        m0_fault(cpu, "an unaligned access");
        return false;
    }
    return true;
}

bool m0_load_elsewhere(struct m0 *cpu, uint32_t address, unsigned size, uint32_t *value) {
    if (!is_aligned(cpu, address, size)) {
        return false;
    }
    *value = cpu->bus.read(cpu->bus.owner, address, size);
    return cpu->hard_fault == NULL;
}

bool m0_store_elsewhere(struct m0 *cpu, uint32_t address, unsigned size, uint32_t value) {
    if (!is_aligned(cpu, address, size)) {
        return false;
    }
    cpu->bus.write(cpu->bus.owner, address, size, value);
    return cpu->hard_fault == NULL;
}

// Fetches an opcode. If no block responds to the address, causes a HardFault and returns a NOP.
static uint32_t fetch_elsewhere(struct m0 *cpu, uint32_t address) {
    uint32_t opcode = cpu->bus.fetch(cpu->bus.owner, address);
    return cpu->hard_fault == NULL ? opcode : OPCODE_NOP;
}

static inline uint32_t fetch(struct m0 *cpu, uint32_t address) {
    if (!m0_is_in_sram(cpu, address, 2)) {
        return fetch_elsewhere(cpu, address);
    }
    return m0_get(&cpu->sram[address - cpu->sram_base], 2);
}

// ---- Branches ----

void m0_branch_exchange(struct m0 *cpu, uint32_t address) {
    if (m0_is_exc_return(address) && m0_is_in_handler(cpu)) {
        m0_return(cpu, address);
        return;
    }
    m0_branch(cpu, address);
    if ((address & 1) == 0) {
        cpu->is_thumb = false;
        m0_yield(cpu);
    }
}

static inline bool holds(const struct m0 *cpu, uint32_t condition) {
    bool is_negative = cpu->negative >> 31;
    bool is_zero = cpu->not_zero == 0;
    bool is_true = false;
    switch (condition >> 1) {
    case 0: // EQ
        is_true = is_zero;
        break;
    case 1: // CS
        is_true = cpu->carry;
        break;
    case 2: // MI
        is_true = is_negative;
        break;
    case 3: // VS
        is_true = cpu->overflow;
        break;
    case 4: // HI
        is_true = cpu->carry && !is_zero;
        break;
    case 5: // GE
        is_true = is_negative == (bool)cpu->overflow;
        break;
    default: // GT
        is_true = !is_zero && is_negative == (bool)cpu->overflow;
        break;
    }
    return is_true != (bool)(condition & 1);
}

// Executes B with a condition, UDF and SVC.
static inline void branch_if(struct m0 *cpu, uint32_t opcode) {
    enum { UDF = 14, SVC = 15 };
    uint32_t condition = opcode >> 8 & 15;
    if (condition == UDF) {
        m0_fault(cpu, "an undefined instruction");
    } else if (condition == SVC) {
        cpu->bus.crash(cpu->bus.owner, "SVC is not modeled");
    } else if (holds(cpu, condition)) {
        m0_branch(cpu, m0_operand(cpu, M0_PC) + (uint32_t)((int8_t)opcode * 2));
    }
}

static inline void branch(struct m0 *cpu, uint32_t opcode) {
    uint32_t offset = (opcode & 0x7FF) << 1;
    m0_branch(cpu, m0_operand(cpu, M0_PC) + (offset ^ 0x800) - 0x800);
}

// ---- Decoding (A5.2) ----

static inline void add_to_sp(struct m0 *cpu, uint32_t opcode) {
    uint32_t size = (opcode & 0x7F) * 4;
    m0_set_sp(cpu, opcode & 0x80 ? cpu->r[M0_SP] - size : cpu->r[M0_SP] + size);
}

static inline void execute_miscellaneous(struct m0 *cpu, uint32_t opcode) {
    switch (opcode >> 8 & 15) {
    case 0:
        add_to_sp(cpu, opcode);
        break;
    case 2:
        m0_extend(cpu, opcode);
        break;
    case 4:
    case 5:
        m0_push(cpu, opcode);
        break;
    case 10:
        m0_reverse(cpu, opcode);
        break;
    case 12:
    case 13:
        m0_pop(cpu, opcode);
        break;
    default:
        m0_execute_miscellaneous(cpu, opcode);
        break;
    }
}

static inline void execute_long(struct m0 *cpu, uint32_t opcode) {
    uint32_t second = fetch(cpu, cpu->next);
    if (cpu->hard_fault != NULL) {
        return;
    }
    cpu->next += 2;
    m0_execute_long(cpu, opcode << 16 | second);
}

static inline void execute(struct m0 *cpu, uint32_t opcode) {
    switch (opcode >> 11) {
    case 0:
    case 1:
    case 2:
        m0_shift_immediate(cpu, opcode);
        break;
    case 3:
        m0_add_three(cpu, opcode);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        m0_immediate(cpu, opcode);
        break;
    case 8:
        if (opcode & 0x0400) {
            m0_special(cpu, opcode);
        } else {
            m0_process(cpu, opcode);
        }
        break;
    case 9:
        m0_load_literal(cpu, opcode);
        break;
    case 10:
    case 11:
        m0_access_sum(cpu, opcode);
        break;
    case 12:
    case 13:
        m0_access_offset(cpu, opcode, 4);
        break;
    case 14:
    case 15:
        m0_access_offset(cpu, opcode, 1);
        break;
    case 16:
    case 17:
        m0_access_offset(cpu, opcode, 2);
        break;
    case 18:
    case 19:
        m0_access_stack(cpu, opcode);
        break;
    case 20: // ADR
        cpu->r[opcode >> 8 & 7] = (m0_operand(cpu, M0_PC) & ~3u) + (opcode & 0xFF) * 4;
        break;
    case 21: // ADD from SP
        cpu->r[opcode >> 8 & 7] = cpu->r[M0_SP] + (opcode & 0xFF) * 4;
        break;
    case 22:
    case 23:
        execute_miscellaneous(cpu, opcode);
        break;
    case 24:
        m0_store_multiple(cpu, opcode);
        break;
    case 25:
        m0_load_multiple(cpu, opcode);
        break;
    case 26:
    case 27:
        branch_if(cpu, opcode);
        break;
    case 28:
        branch(cpu, opcode);
        break;
    case 30:
        execute_long(cpu, opcode);
        break;
    default:
        m0_fault(cpu, "an undefined instruction");
        break;
    }
}

// ---- Running ----

// Returns true if the processor is asleep and no event wakes it. If PRIMASK prevents the handler of
// an interrupt from being executed, the interrupt ends WFI, but does not end WFE (B1.5.18,
// B1.5.19). There are no other sources of events.
bool m0_sleeps(const struct m0 *cpu) {
    if (!cpu->is_asleep || cpu->waits_for_event) {
        return cpu->is_asleep && !m0_is_interrupted(cpu);
    }
    return nvic_next(&cpu->nvic, nvic_active_priority(&cpu->nvic)) == 0;
}

static void execute_until_spent(struct m0 *cpu) {
    do {
        cpu->next = cpu->r[M0_PC] + 2;
        execute(cpu, fetch(cpu, cpu->r[M0_PC]));
        cpu->elapsed++;
        cpu->r[M0_PC] = cpu->next;
    } while (cpu->elapsed < cpu->budget);
}

void m0_run(struct m0 *cpu, uint32_t budget) {
    cpu->elapsed = 0;
    cpu->budget = budget;
    cpu->is_asleep = false;
    if (cpu->is_entering) {
        m0_take_vector(cpu);
    }
    if (m0_is_interrupted(cpu)) {
        m0_begin_entry(cpu);
        return;
    }
    if (!cpu->is_thumb) {
        m0_fault(cpu, "not in Thumb state");
        return;
    }
    execute_until_spent(cpu);
}
