#include "m0_system.h"

#include "m0_access.h"

// Values of SYSm (B4.2.2).
enum {
    SYS_XPSR_LAST = 7, // 0 to 7: parts of xPSR
    SYS_WITHOUT_FLAGS = 4,
    SYS_WITH_IPSR = 1,
    SYS_MSP = 8,
    SYS_PSP = 9,
    SYS_PRIMASK = 16,
    SYS_CONTROL = 20,
};

#define PSR_FLAGS 0xF0000000u

// ---- Special registers ----

static uint32_t read_special(struct m0 *cpu, uint32_t number) {
    switch (number) {
    case SYS_MSP:
        return cpu->r[M0_SP];
    case SYS_PSP:
        return cpu->process_sp;
    case SYS_PRIMASK:
        return cpu->nvic.is_masked;
    case SYS_CONTROL:
        return 0;
    default:
        break;
    }
    if (number > SYS_XPSR_LAST) {
        cpu->bus.crash(cpu->bus.owner, "MRS of a register that is not modeled");
    }
    uint32_t value = number & SYS_WITH_IPSR ? cpu->nvic.exception : 0;
    return number & SYS_WITHOUT_FLAGS ? value : value | (m0_psr(cpu) & PSR_FLAGS);
}

static void write_special(struct m0 *cpu, uint32_t number, uint32_t value) {
    switch (number) {
    case SYS_MSP:
        cpu->lowest_stack = UINT32_MAX;
        m0_set_sp(cpu, value);
        cpu->stack_top = cpu->r[M0_SP];
        return;
    case SYS_PSP:
        cpu->process_sp = value & ~3u;
        return;
    case SYS_PRIMASK:
        cpu->nvic.is_masked = value & 1;
        m0_yield(cpu);
        return;
    case SYS_CONTROL:
        if (value & 3) {
            cpu->bus.crash(cpu->bus.owner, "CONTROL other than 0 is not modeled");
        }
        return;
    default:
        break;
    }
    if (number > SYS_XPSR_LAST) {
        cpu->bus.crash(cpu->bus.owner, "MSR of a register that is not modeled");
    }
    if ((number & SYS_WITHOUT_FLAGS) == 0) {
        m0_set_flags(cpu, value);
    }
}

// ---- Instructions of 32 bits ----

// Executes BL. The upper bits of the displacement are stored as the inverse of their XOR with the
// sign (A6.7.13).
static void branch_with_link(struct m0 *cpu, uint32_t opcode) {
    uint32_t sign = opcode >> 26 & 1;
    uint32_t i1 = ~(opcode >> 13 ^ sign) & 1;
    uint32_t i2 = ~(opcode >> 11 ^ sign) & 1;
    uint32_t offset =
        sign << 24 | i1 << 23 | i2 << 22 | (opcode >> 16 & 0x3FF) << 12 | (opcode & 0x7FF) << 1;
    cpu->r[M0_LR] = cpu->next | 1;
    cpu->elapsed++; // 3 in total
    m0_branch(cpu, m0_operand(cpu, M0_PC) + (offset ^ 1u << 24) - (1u << 24));
}

void m0_execute_long(struct m0 *cpu, uint32_t opcode) {
    if ((opcode & 0xF800D000) == 0xF000D000) {
        branch_with_link(cpu, opcode);
        return;
    }
    cpu->elapsed += 2;
    if ((opcode & 0xFFE0D000) == 0xF3808000) {
        write_special(cpu, opcode & 0xFF, cpu->r[opcode >> 16 & 15]);
    } else if ((opcode & 0xFFE0D000) == 0xF3E08000) {
        cpu->r[opcode >> 8 & 15] = read_special(cpu, opcode & 0xFF);
    } else if ((opcode & 0xFFF0D000) == 0xF3B08000 && (opcode >> 4 & 15) - 4 <= 2) {
        return; // DSB, DMB, ISB: accesses are never reordered here
    } else {
        m0_fault(cpu, "an undefined instruction");
    }
}

// ---- CPS, BKPT and hints ----

static void hint(struct m0 *cpu, unsigned number) {
    enum { WFE = 2, WFI = 3, SEV = 4 };
    switch (number) {
    case WFE:
        cpu->elapsed++;
        cpu->is_asleep = !cpu->has_event;
        cpu->waits_for_event = true;
        cpu->has_event = false;
        m0_yield(cpu);
        break;
    case WFI:
        cpu->elapsed++;
        cpu->is_asleep = true;
        cpu->waits_for_event = false;
        m0_yield(cpu);
        break;
    case SEV:
        cpu->has_event = true;
        break;
    default: // NOP and YIELD; the other hints are treated as NOP
        break;
    }
}

void m0_execute_miscellaneous(struct m0 *cpu, uint32_t opcode) {
    if ((opcode & 0xFFEF) == 0xB662) {
        cpu->nvic.is_masked = opcode >> 4 & 1;
        m0_yield(cpu);
    } else if ((opcode & 0xFF00) == 0xBE00) {
        if (!cpu->bus.breakpoint(cpu->bus.owner)) {
            m0_fault(cpu, "BKPT without a debugger");
        }
    } else if ((opcode & 0xFF0F) == 0xBF00) {
        hint(cpu, opcode >> 4 & 15);
    } else {
        m0_fault(cpu, "an undefined instruction");
    }
}
