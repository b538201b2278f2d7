// Tests of interrupts that occur during the entry into a handler or the return from it (Arm DDI
// 0419E B1.5.12).
#include "machine_test.h"

#include <string.h>

#define VECTORS 0x20000100u
#define HANDLER_0 0x20000200u
#define HANDLER_1 0x20000210u
#define CYCLES(count) ((uint64_t)(count)*ROSC_PERIOD)
#define ROSC_PERIOD 8u // a duration in cycles of 48 MHz
#define ENTRY 15u

static struct test_board board;

static void put(uint32_t address, uint32_t value) {
    for (unsigned byte = 0; byte < sizeof value; byte++) {
        board.machine.sram[address - SRAM_BASE + byte] = (uint8_t)(value >> 8 * byte);
    }
}

// A program that loops without effect, and two handlers that execute NOP and BX LR. Interrupt 0 is
// more urgent than interrupt 1.
static struct machine *begin(void) {
    static const uint8_t stand_still[] = {0xFE, 0xE7};
    static const uint32_t nop_and_return = 0x4770BF00;
    struct machine *machine = &board.machine;
    test_board_init(&board, NULL);
    memcpy(board.flash, stand_still, sizeof stand_still);
    test_board_sign(&board);
    machine_set_power(machine, true);
    machine_run(machine, 10 * CYCLES_PER_MS);
    put(VECTORS + 4 * EXCEPTION_IRQ_0, HANDLER_0 | 1);
    put(VECTORS + 4 * EXCEPTION_IRQ_0 + 4, HANDLER_1 | 1);
    put(HANDLER_0, nop_and_return);
    put(HANDLER_1, nop_and_return);
    machine->cpu.nvic.vector_table = VECTORS;
    machine->cpu.nvic.enabled = 3;
    machine->cpu.nvic.priority[1] = 0x40;
    return machine;
}

// Causes the processor to begin the entry into a handler, by means of a pulse on the interrupt
// line.
static void pulse(struct machine *machine, enum irq irq) {
    machine_set_irq(machine, irq, true);
    machine_set_irq(machine, irq, false);
}

static void run(struct machine *machine, uint64_t cycles) {
    machine_run(machine, machine->now + CYCLES(cycles));
}

static void test_late(struct tests *tests) {
    struct machine *machine = begin();
    pulse(machine, IRQ_TIMER_0 + 1);
    run(machine, 1);
    EXPECT(tests, "an entry has begun", machine->cpu.is_entering);
    pulse(machine, IRQ_TIMER_0);
    uint32_t stack = machine->cpu.r[M0_SP];
    run(machine, 1);
    EXPECT(tests, "a more urgent interrupt that arrives during an entry is taken first",
           machine->cpu.nvic.active == 1 && machine->cpu.nvic.pending == 2);
    EXPECT(tests, "the more urgent interrupt uses the same frame", machine->cpu.r[M0_SP] == stack);
    run(machine, 12);
    EXPECT(tests, "the other interrupt follows without another frame",
           machine->cpu.nvic.pending == 0 && machine->cpu.r[M0_SP] == stack);
    run(machine, 40);
    EXPECT(tests, "the program continues after both interrupts",
           machine->cpu.nvic.exception == 0 && machine->cpu.r[M0_SP] == stack + 32);
}

static void test_sleeping(struct tests *tests) {
    struct machine *machine = begin();
    machine->cpu.is_asleep = true;
    run(machine, 1000);
    EXPECT(tests, "a processor that is asleep executes nothing", m0_sleeps(&machine->cpu));
    uint64_t slept = machine_slept(machine);
    EXPECT(tests, "the processor counts the cycles for which it sleeps",
           slept >= CYCLES(990) && slept <= CYCLES(1000));
    uint64_t woken = machine->now;
    pulse(machine, IRQ_TIMER_0);
    machine_run(machine, woken + 1);
    EXPECT(tests, "an interrupt wakes it", machine->now == woken + CYCLES(ENTRY));
}

static void test_hang(struct tests *tests) {
    struct machine *machine = begin();
    machine_hang(machine, HANG_WITHOUT_INTERRUPTS);
    run(machine, 10);
    pulse(machine, IRQ_TIMER_0);
    run(machine, 100);
    EXPECT(tests, "a program that hangs with interrupts disabled takes none",
           machine->cpu.r[M0_PC] == ROM_LOOP && machine->cpu.nvic.pending == 1);
    machine = begin();
    machine_hang(machine, HANG_WITH_INTERRUPTS);
    run(machine, 10);
    pulse(machine, IRQ_TIMER_0);
    run(machine, 100);
    EXPECT(tests, "a program that hangs with interrupts enabled takes them",
           machine->cpu.r[M0_PC] == ROM_LOOP && machine->cpu.nvic.pending == 0);
}

void test_arrival(struct tests *tests) {
    test_late(tests);
    test_sleeping(tests);
    test_hang(tests);
}
