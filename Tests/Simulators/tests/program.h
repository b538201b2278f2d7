// Programs for the simulated RP2040 that check the behavior of the machine. Each program runs in a
// separate machine, in which the boot ROM starts it, with clk_sys from ROSC. The part on the host
// is machine_tests.c.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_BASE 0x20000000u

// The results that the host reads. Pointers are addresses in the machine.
struct program {
    uint32_t name;   // char[]
    uint32_t run;    // void (*)(void)
    uint32_t cycles; // the expected number of cycles between the two marks; 0 if the program
                     // measures no cycles
    uint32_t error;  // char[]: message that the simulator must print when it ends; 0 if the
                     // simulator must not end
};

// The list of programs, at PROGRAM_BASE.
struct programs {
    uint32_t first; // struct program[]
    uint32_t end;
    uint32_t failed_line; // the line of the failed check; 0 if no check has failed
};

#ifdef __arm__

#include "../../../Firmware/boards/rp2040/rp2040.h"

extern struct programs programs;

#define PROGRAM_ENTRY(id, text, count, message)                                                    \
    static void id(void);                                                                          \
    __attribute__((section(".programs"), used)) static const struct program entry_##id = {         \
        (uint32_t)text, (uint32_t)id, count, (uint32_t)message};                                   \
    static void id(void)

// PROGRAM defines a program that checks itself, MEASURED a program that measures cycles, and
// REFUSED a program that the simulator must refuse.
#define PROGRAM(id, text) PROGRAM_ENTRY(id, text, 0, 0)
#define MEASURED(id, text, cycles) PROGRAM_ENTRY(id, text, cycles, 0)
#define REFUSED(id, text, message) PROGRAM_ENTRY(id, text, 0, message)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && programs.failed_line == 0) {                                           \
            programs.failed_line = __LINE__;                                                       \
        }                                                                                          \
    } while (0)

// The mark. The machine counts the cycles between a write of 1 to the mark and a write of 0.
#define MARK REGISTER(0xd0000080)

// The numbers of exceptions. An exception without a handler (see handle) fails the test.
enum { HARD_FAULT = 3, IRQ_0 = 16, EXCEPTIONS = 16 + 32 };

void handle(uint32_t exception, void (*handler)(void));

// The feedback divisor that makes the PLL run at 48 MHz.
#define PLL_48_MHZ_FEEDBACK 100u
#define PLL_48_MHZ_PRIM PLL_PRIM(5u, 5u)

void start_crystal(void);
void start_pll(uint32_t feedback); // from the crystal
void start_sys(void);              // starts the crystal, the PLL and clk_sys at 48 MHz
void start_timer(void);            // calls start_sys, and starts TIMER

static inline void set_pending(uint32_t irqs) { NVIC_ISPR = irqs; }
static inline void mask_interrupts(void) { __asm__ volatile("cpsid i" ::: "memory"); }
static inline void unmask_interrupts(void) { __asm__ volatile("cpsie i" ::: "memory"); }

#endif
#endif
