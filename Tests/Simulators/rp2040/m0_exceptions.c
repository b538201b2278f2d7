#include "m0_exceptions.h"

#include "m0_access.h"

#include <stddef.h>

// The cycles of a Cortex-M0+ without wait states (DDI 0484C 3.6.1). Arm does not publish the cycles
// of a return or of tail-chaining; both read eight words.
#define ENTRY_CYCLES 15u
#define RETURN_CYCLES 10u
#define TAIL_CHAIN_CYCLES 10u

#define FRAME_SIZE 32u
#define PSR_THUMB (1u << 24)
#define PSR_ALIGN (1u << 9)
#define PSR_EXCEPTION 0x3Fu

#define RETURN_TO_HANDLER 0xFFFFFFF1u
#define RETURN_TO_THREAD 0xFFFFFFF9u // to Thread mode, using the main stack

uint32_t m0_psr(const struct m0 *cpu) {
    return (cpu->negative >> 31) << 31 | (uint32_t)(cpu->not_zero == 0) << 30 | cpu->carry << 29 |
           cpu->overflow << 28 | (cpu->is_thumb ? PSR_THUMB : 0) | cpu->nvic.exception;
}

void m0_set_flags(struct m0 *cpu, uint32_t psr) {
    cpu->negative = psr & 1u << 31;
    cpu->not_zero = ~psr & 1u << 30;
    cpu->carry = psr >> 29 & 1;
    cpu->overflow = psr >> 28 & 1;
}

static int execution_priority(const struct m0 *cpu) {
    int priority = nvic_active_priority(&cpu->nvic);
    return cpu->nvic.is_masked && priority > PRIORITY_MASKED ? PRIORITY_MASKED : priority;
}

bool m0_is_interrupted(const struct m0 *cpu) {
    if (cpu->hard_fault != NULL) {
        return true;
    }
    return (cpu->nvic.pending & cpu->nvic.enabled) != 0 &&
           nvic_next(&cpu->nvic, execution_priority(cpu)) != 0;
}

// ---- HardFault ----

// Raises a HardFault. A HardFault in the handler of HardFault has no handler (B1.5.14).
static void pend_hard_fault(struct m0 *cpu, const char *why) {
    bool locks_up = cpu->hard_fault != NULL || cpu->nvic.is_in_hard_fault;
    cpu->hard_fault = why;
    cpu->bus.has_faulted(cpu->bus.owner, why);
    if (locks_up) {
        cpu->bus.crash(cpu->bus.owner, "lockup: a fault in HardFault");
    }
    m0_yield(cpu);
}

void m0_fault(struct m0 *cpu, const char *why) {
    cpu->next = cpu->r[M0_PC];
    pend_hard_fault(cpu, why);
}

// ---- Entry ----

static void push_frame(struct m0 *cpu) {
    uint32_t sp = cpu->r[M0_SP];
    uint32_t frame = (sp - FRAME_SIZE) & ~7u;
    uint32_t align = (sp & 4) != 0 ? PSR_ALIGN : 0;
    const uint32_t words[] = {
        cpu->r[0],  cpu->r[1],     cpu->r[2],     cpu->r[3],
        cpu->r[12], cpu->r[M0_LR], cpu->r[M0_PC], m0_psr(cpu) | align,
    };
    m0_set_sp(cpu, frame);
    for (uint32_t word = 0; word < sizeof words / sizeof words[0]; word++) {
        if (!m0_store(cpu, frame + 4 * word, 4, words[word])) {
            return;
        }
    }
}

void m0_begin_entry(struct m0 *cpu) {
    push_frame(cpu);
    cpu->r[M0_LR] = m0_is_in_handler(cpu) ? RETURN_TO_HANDLER : RETURN_TO_THREAD;
    cpu->elapsed = ENTRY_CYCLES;
    cpu->is_entering = true;
    cpu->is_asleep = false;
}

void m0_take_vector(struct m0 *cpu) {
    unsigned exception = EXCEPTION_HARD_FAULT;
    if (cpu->hard_fault == NULL) {
        exception = nvic_next(&cpu->nvic, execution_priority(cpu));
    }
    cpu->hard_fault = NULL;
    cpu->is_entering = false;
    cpu->has_event = true;
    nvic_activate(&cpu->nvic, exception);
    uint32_t vector = 0;
    if (m0_load(cpu, cpu->nvic.vector_table + 4 * exception, 4, &vector)) {
        cpu->r[M0_PC] = vector & ~1u;
        cpu->is_thumb = vector & 1;
    }
    cpu->elapsed = 0; // this access is included in the cycles of the entry
}

// ---- Return ----

static void pop_frame(struct m0 *cpu, uint32_t exc_return) {
    uint32_t frame = cpu->r[M0_SP];
    uint32_t words[8] = {0};
    for (uint32_t word = 0; word < sizeof words / sizeof words[0]; word++) {
        if (!m0_load(cpu, frame + 4 * word, 4, &words[word])) {
            return;
        }
    }
    for (unsigned number = 0; number < 4; number++) {
        cpu->r[number] = words[number];
    }
    cpu->r[12] = words[4];
    cpu->r[M0_LR] = words[5];
    cpu->next = words[6] & ~1u;
    uint32_t psr = words[7];
    m0_set_sp(cpu, (frame + FRAME_SIZE) | (psr & PSR_ALIGN ? 4 : 0));
    m0_set_flags(cpu, psr);
    cpu->is_thumb = (psr & PSR_THUMB) != 0;
    cpu->nvic.exception = psr & PSR_EXCEPTION;
    if ((exc_return == RETURN_TO_THREAD) != (cpu->nvic.exception == 0)) {
        m0_fault(cpu, "a return into a mode other than that of the frame");
    }
}

static bool is_valid(const struct m0 *cpu, uint32_t exc_return) {
    unsigned count = nvic_active_count(&cpu->nvic);
    return exc_return == RETURN_TO_THREAD ? count == 1
                                          : exc_return == RETURN_TO_HANDLER && count > 1;
}

void m0_return(struct m0 *cpu, uint32_t exc_return) {
    m0_yield(cpu);
    if (!is_valid(cpu, exc_return)) {
        m0_fault(cpu, "an EXC_RETURN that does not match the active exceptions");
        return;
    }
    uint32_t before = cpu->elapsed;
    nvic_deactivate(&cpu->nvic, cpu->nvic.exception);
    cpu->has_event = true;
    if (nvic_next(&cpu->nvic, execution_priority(cpu)) != 0) {
        cpu->r[M0_LR] = exc_return;
        cpu->is_entering = true;
        cpu->elapsed = before + TAIL_CHAIN_CYCLES;
        return;
    }
    pop_frame(cpu, exc_return);
    cpu->elapsed = before + RETURN_CYCLES;
}
