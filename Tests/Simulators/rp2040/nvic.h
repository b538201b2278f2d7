// The exceptions of a Cortex-M0+ (pending, enabled and active), and the registers of the System
// Control Space (Arm DDI 0419E B1.5, B3). SysTick, SVCall, PendSV and NMI are not modeled.
#ifndef NVIC_H
#define NVIC_H

#include <stdbool.h>
#include <stdint.h>

#define NVIC_BASE 0xE000E000u
#define NVIC_SIZE 0x1000u
#define NVIC_IRQS 32u

#define EXCEPTION_HARD_FAULT 3u
#define EXCEPTION_IRQ_0 16u

// Execution priorities (B1.5.4).
#define PRIORITY_HARD_FAULT (-1)
#define PRIORITY_MASKED 0
#define PRIORITY_THREAD 256

struct nvic {
    uint32_t lines; // their levels
    uint32_t pending;
    uint32_t enabled;
    uint32_t active;
    uint8_t priority[NVIC_IRQS]; // 0, 64, 128 or 192
    uint32_t vector_table;       // VTOR
    uint32_t exception;          // IPSR: 0 in Thread mode
    bool is_in_hard_fault;
    bool is_masked; // PRIMASK
};

void nvic_reset(struct nvic *nvic);

void nvic_set_line(struct nvic *nvic, unsigned irq, bool level);

// The first function returns the priority of the active exceptions, the second their number, both
// regardless of PRIMASK.
int nvic_active_priority(const struct nvic *nvic);
unsigned nvic_active_count(const struct nvic *nvic);

// Returns the exception number of the interrupt that would be taken at the given execution
// priority, or 0 if no interrupt would be taken.
unsigned nvic_next(const struct nvic *nvic, int priority);

void nvic_activate(struct nvic *nvic, unsigned exception);
// Ends a handler. A line that is still high requests its interrupt again.
void nvic_deactivate(struct nvic *nvic, unsigned exception);

// Read or write a register at an offset from NVIC_BASE, and return false if the register is not
// modeled.
bool nvic_read(const struct nvic *nvic, uint32_t offset, uint32_t *value);
bool nvic_write(struct nvic *nvic, uint32_t offset, uint32_t value);

#endif
