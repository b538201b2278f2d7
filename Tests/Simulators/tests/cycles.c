// Tests of the cycles in Arm's table (DDI 0484C 3.3), plus the cycles of the RP2040's buses
// (datasheet 2.1.3).
#include "program.h"

static uint32_t memory[8];

__asm__(".thumb_func\nreturn_at_once: bx lr\n"
        ".thumb_func\nreturn_by_pop: push {r4, lr}\n pop {r4, pc}");

// Cycles are counted from the write that marks the beginning, which takes 1 cycle, to the write
// that marks the end.
#define CYCLES(id, text, cycles, code)                                                             \
    MEASURED(id, text, cycles) {                                                                   \
        __asm__ volatile(                                                                          \
            ".p2align 2\n str %[on], [%[mark]]\n" code "\n str %[off], [%[mark]]" ::[on] "l"(1),   \
            [off] "l"(0), [mark] "l"(&MARK), [ram] "l"(memory), [apb] "l"(&RESETS_RESET)           \
            : "r0", "r1", "lr", "cc", "memory");                                                   \
    }

CYCLES(cycles_nothing, "a write to the SIO takes 1 cycle", 1, "")
CYCLES(cycles_adds, "ADDS takes 1 cycle", 2, "adds r0, #1")
CYCLES(cycles_muls, "MULS takes 1 cycle", 2, "muls r0, r1, r0")
CYCLES(cycles_nop, "NOP takes 1 cycle", 2, "nop")
CYCLES(cycles_cps, "CPS takes 1 cycle", 2, "cpsie i")
CYCLES(cycles_load, "LDR from SRAM takes 2 cycles", 3, "ldr r0, [%[ram]]")
CYCLES(cycles_load_byte, "LDRB from SRAM takes 2 cycles", 3, "ldrb r0, [%[ram]]")
CYCLES(cycles_store, "STR to SRAM takes 2 cycles", 3, "str r0, [%[ram]]")
CYCLES(cycles_load_sio, "LDR from the SIO takes 1 cycle", 2, "ldr r0, [%[mark]]")
CYCLES(cycles_load_apb, "LDR from the APB takes 3 cycles", 4, "ldr r0, [%[apb]]")
CYCLES(cycles_store_apb, "LDR from and STR to the APB take 3 and 4 cycles", 8,
       "ldr r0, [%[apb]]\n str r0, [%[apb]]")
CYCLES(cycles_load_rom, "LDR from the ROM takes 2 cycles", 4, "movs r0, #0\n ldr r0, [r0]")
CYCLES(cycles_branch, "B takes 2 cycles", 3, "b 1f\n 1:")
CYCLES(cycles_branch_taken, "BNE that is taken takes 2 cycles", 4,
       "cmp %[on], #0\n bne 1f\n nop\n 1:")
CYCLES(cycles_branch_not_taken, "BEQ that is not taken takes 1 cycle", 3,
       "cmp %[on], #0\n beq 1f\n 1:")
CYCLES(cycles_call, "BL takes 3 and BX takes 2 cycles", 6, "bl return_at_once")
CYCLES(cycles_pop_return, "BL takes 3, PUSH 1 + N, POP with PC 3 + N", 12, "bl return_by_pop")
CYCLES(cycles_push, "PUSH and POP take 1 + N cycles", 9, "push {r0-r2}\n pop {r0-r2}")
CYCLES(cycles_multiple, "STM and LDM take 1 + N cycles", 9,
       "mov r0, %[ram]\n stm r0!, {r1, r2}\n mov r0, %[ram]\n ldm r0, {r0, r1}")
CYCLES(cycles_mov_pc, "MOV to PC takes 2 cycles", 4, "mov r0, pc\n mov pc, r0")
CYCLES(cycles_special, "MRS and MSR take 3 cycles", 7, "mrs r0, primask\n msr primask, r0")
CYCLES(cycles_barriers, "DMB, DSB and ISB take 3 cycles", 10, "dmb\n dsb\n isb")
