// A Cortex-M0+: the instructions of ARMv6-M, their cycles, exceptions and sleep (Arm DDI 0419E, DDI
// 0484C). The processor passes accesses outside its SRAM to the bus.
//
// An access takes effect at the first cycle of its instruction.
#ifndef M0_H
#define M0_H

#include "nvic.h"

#include <stdbool.h>
#include <stdint.h>

#define M0_SP 13
#define M0_LR 14
#define M0_PC 15

// Data accesses have sizes of 1, 2 or 4 bytes, and their addresses are multiples of the size.
struct m0_bus {
    // The functions call m0_fault if no block responds to the address.
    uint32_t (*read)(void *owner, uint32_t address, unsigned size);
    void (*write)(void *owner, uint32_t address, unsigned size, uint32_t value);
    uint16_t (*fetch)(void *owner, uint32_t address);
    // Called by BKPT. Returns false if BKPT is not a valid instruction at this address.
    bool (*breakpoint)(void *owner);
    // A function that is called when a HardFault is taken.
    void (*has_faulted)(void *owner, const char *why);
    // A function that is called when the program performs an action that is not modeled.
    __attribute__((noreturn)) void (*crash)(void *owner, const char *what);
    void *owner;
};

struct m0 {
    uint32_t r[16]; // r[M0_PC] is the address of the instruction
    uint32_t next;  // the address of the following instruction
    // Two values that represent flags: N is the sign of the first value, and Z is set if the second
    // value is 0. C and V are 0 or 1.
    uint32_t negative;
    uint32_t not_zero;
    uint32_t carry;
    uint32_t overflow;
    uint32_t process_sp; // PSP, which is not used as the stack pointer
    bool is_thumb;       // EPSR.T
    bool has_event;      // the event register of WFE
    bool is_asleep;
    bool waits_for_event; // sleeps in WFE
    bool is_entering; // true if the frame has been stored, so the next step is to read the vector
    const char *hard_fault; // the cause of a pending HardFault, or NULL
    struct nvic nvic;

    uint32_t elapsed; // the number of cycles since m0_run was called
    uint32_t budget;  // the number of cycles until m0_run returns

    uint8_t *sram;
    uint32_t sram_base;
    uint32_t sram_size;
    uint32_t stack_top; // the stack pointer that MSR has set
    uint32_t lowest_stack;
    struct m0_bus bus;
};

void m0_init(struct m0 *cpu, const struct m0_bus *bus, uint8_t *sram, uint32_t base, uint32_t size);

// Sets registers and exceptions as after a reset. The program starts at the given address, which
// must be odd, with the given stack.
void m0_reset(struct m0 *cpu, uint32_t stack, uint32_t start);

// Executes at least one instruction or the entry into an exception. Continues until the budget is
// spent, the processor sleeps, or an event may change the next instruction. Afterwards, `elapsed`
// is the number of cycles that this took.
void m0_run(struct m0 *cpu, uint32_t budget);

// Returns true if the processor is asleep and no interrupt wakes it.
bool m0_sleeps(const struct m0 *cpu);

// Causes m0_run to return after the current instruction.
static inline void m0_yield(struct m0 *cpu) { cpu->budget = 0; }

// Causes a HardFault because the instruction cannot be executed.
void m0_fault(struct m0 *cpu, const char *why);

// Returns true while an exception handler runs.
static inline bool m0_is_in_handler(const struct m0 *cpu) { return cpu->nvic.exception != 0; }

// Returns the program status register, with the flags and the number of the exception.
uint32_t m0_psr(const struct m0 *cpu);
void m0_set_flags(struct m0 *cpu, uint32_t psr);

#endif
