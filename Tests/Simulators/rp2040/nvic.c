#include "nvic.h"

enum {
    ISER = 0x100,
    ICER = 0x180,
    ISPR = 0x200,
    ICPR = 0x280,
    IPR = 0x400,
    IPR_END = IPR + NVIC_IRQS,
    CPUID = 0xD00,
    ICSR = 0xD04,
    VTOR = 0xD08,
    SCR = 0xD10,
    CCR = 0xD14,
};

#define CPUID_M0_PLUS 0x410CC601u
#define CCR_VALUE 0x208u // STKALIGN, UNALIGN_TRP
#define VTOR_BITS 0xFFFFFF00u
#define PRIORITY_BITS 0xC0u // the implemented bits of a priority
#define ICSR_VECTPENDING 12

void nvic_reset(struct nvic *nvic) {
    uint32_t lines = nvic->lines;
    *nvic = (struct nvic){.lines = lines, .pending = lines};
}

// Sets an interrupt line. A rising edge requests the interrupt; a falling edge does not cancel the
// request.
void nvic_set_line(struct nvic *nvic, unsigned irq, bool level) {
    uint32_t bit = UINT32_C(1) << irq;
    uint32_t is_active = nvic->active & bit;
    if (!level) {
        nvic->lines &= ~bit;
    } else if ((nvic->lines & bit) == 0 || is_active == 0) {
        nvic->lines |= bit;
        nvic->pending |= bit;
    }
}

// ---- Priorities ----

int nvic_active_priority(const struct nvic *nvic) {
    if (nvic->is_in_hard_fault) {
        return PRIORITY_HARD_FAULT;
    }
    int priority = PRIORITY_THREAD;
    for (uint32_t left = nvic->active; left != 0; left &= left - 1) {
        int own = nvic->priority[__builtin_ctz(left)];
        priority = own < priority ? own : priority;
    }
    return priority;
}

unsigned nvic_active_count(const struct nvic *nvic) {
    return (unsigned)__builtin_popcount(nvic->active) + nvic->is_in_hard_fault;
}

// Returns the next exception. If priorities are equal, the exception with the lowest number takes
// precedence.
unsigned nvic_next(const struct nvic *nvic, int priority) {
    unsigned next = 0;
    for (uint32_t left = nvic->pending & nvic->enabled; left != 0; left &= left - 1) {
        unsigned irq = (unsigned)__builtin_ctz(left);
        if (nvic->priority[irq] < priority) {
            priority = nvic->priority[irq];
            next = EXCEPTION_IRQ_0 + irq;
        }
    }
    return next;
}

void nvic_activate(struct nvic *nvic, unsigned exception) {
    nvic->exception = exception;
    if (exception == EXCEPTION_HARD_FAULT) {
        nvic->is_in_hard_fault = true;
        return;
    }
    uint32_t bit = UINT32_C(1) << (exception - EXCEPTION_IRQ_0);
    nvic->pending &= ~bit;
    nvic->active |= bit;
}

void nvic_deactivate(struct nvic *nvic, unsigned exception) {
    if (exception == EXCEPTION_HARD_FAULT) {
        nvic->is_in_hard_fault = false;
        return;
    }
    uint32_t bit = UINT32_C(1) << (exception - EXCEPTION_IRQ_0);
    nvic->active &= ~bit;
    nvic->pending |= nvic->lines & bit;
}

// ---- Registers ----

static uint32_t read_control_state(const struct nvic *nvic) {
    unsigned pending = nvic_next(nvic, PRIORITY_THREAD);
    return nvic->exception | pending << ICSR_VECTPENDING;
}

static uint32_t read_priorities(const struct nvic *nvic, uint32_t first) {
    uint32_t value = 0;
    for (unsigned byte = 0; byte < sizeof value; byte++) {
        value |= (uint32_t)nvic->priority[first + byte] << 8 * byte;
    }
    return value;
}

bool nvic_read(const struct nvic *nvic, uint32_t offset, uint32_t *value) {
    switch (offset) {
    case ISER:
    case ICER:
        *value = nvic->enabled;
        return true;
    case ISPR:
    case ICPR:
        *value = nvic->pending;
        return true;
    case CPUID:
        *value = CPUID_M0_PLUS;
        return true;
    case ICSR:
        *value = read_control_state(nvic);
        return true;
    case VTOR:
        *value = nvic->vector_table;
        return true;
    case SCR:
        *value = 0;
        return true;
    case CCR:
        *value = CCR_VALUE;
        return true;
    default:
        break;
    }
    if (offset < IPR || offset >= IPR_END) {
        return false;
    }
    *value = read_priorities(nvic, offset - IPR);
    return true;
}

static void write_priorities(struct nvic *nvic, uint32_t first, uint32_t value) {
    for (unsigned byte = 0; byte < sizeof value; byte++) {
        nvic->priority[first + byte] = (uint8_t)(value >> 8 * byte & PRIORITY_BITS);
    }
}

bool nvic_write(struct nvic *nvic, uint32_t offset, uint32_t value) {
    switch (offset) {
    case ISER:
        nvic->enabled |= value;
        return true;
    case ICER:
        nvic->enabled &= ~value;
        return true;
    case ISPR:
        nvic->pending |= value;
        return true;
    case ICPR: // clearing has no effect while the line is high
        nvic->pending &= ~value | (nvic->lines & ~nvic->active);
        return true;
    case VTOR:
        nvic->vector_table = value & VTOR_BITS;
        return true;
    case SCR:
        return value == 0;
    default:
        break;
    }
    if (offset < IPR || offset >= IPR_END) {
        return false;
    }
    write_priorities(nvic, offset - IPR, value);
    return true;
}
