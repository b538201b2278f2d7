// Tests of exceptions: their order, their times, and the state after them (Arm DDI 0419E B1.5, DDI
// 0484C 3.6).
#include "program.h"

#define BIT(irq) (1u << (irq))

static volatile uint32_t order; // a digit for each handler that has run; the first handler has the
                                // most significant digit
static volatile uint32_t count;

static void enter(uint32_t digit) { order = order << 4 | digit; }

static void on_0(void) { enter(0xA); }
static void on_1(void) { enter(0xB); }

// ---- Priorities ----

static void pend_0_and_1(void) {
    enter(1);
    set_pending(BIT(0) | BIT(1));
    enter(2);
}

static void prepare(uint32_t priorities) {
    handle(IRQ_0, on_0);
    handle(IRQ_0 + 1, on_1);
    handle(IRQ_0 + 2, pend_0_and_1);
    NVIC_IPR0 = priorities;
    NVIC_ISER = BIT(0) | BIT(1) | BIT(2);
}

PROGRAM(lowest_number_first,
        "of two interrupts with the same priority the lower number is taken first") {
    prepare(0);
    mask_interrupts();
    set_pending(BIT(0) | BIT(1));
    unmask_interrupts();
    CHECK(order == 0xAB);
}

PROGRAM(priority_first, "of two interrupts the more urgent one is taken first") {
    prepare(NVIC_PRIORITY(0, 2) | NVIC_PRIORITY(1, 1));
    mask_interrupts();
    set_pending(BIT(0) | BIT(1));
    unmask_interrupts();
    CHECK(order == 0xBA);
}

PROGRAM(nesting,
        "a more urgent interrupt interrupts a handler, but one of the same priority waits") {
    prepare(NVIC_PRIORITY(0, 1) | NVIC_PRIORITY(1, 2) | NVIC_PRIORITY(2, 2));
    set_pending(BIT(2));
    CHECK(order == 0x1A2B);
}

PROGRAM(two_bits, "two bits of a priority are significant") {
    NVIC_IPR0 = UINT32_MAX;
    CHECK(NVIC_IPR0 == 0xC0C0C0C0);
}

PROGRAM(disabled, "an interrupt that is not enabled stays pending") {
    handle(IRQ_0, on_0);
    set_pending(BIT(0));
    CHECK(order == 0 && NVIC_ISPR == BIT(0));
    NVIC_ISER = BIT(0);
    CHECK(order == 0xA && NVIC_ISPR == 0);
    NVIC_ICER = BIT(0);
    CHECK(NVIC_ISER == 0);
}

PROGRAM(clear_pending, "an interrupt that is cleared is not taken") {
    prepare(0);
    mask_interrupts();
    set_pending(BIT(0));
    NVIC_ICPR = BIT(0);
    unmask_interrupts();
    CHECK(order == 0);
}

// ---- Lines ----

static void release_timer(void) {
    CLR_BITS(RESETS_RESET) = RESETS_TIMER;
    TIMER_INTE = 1;
}

#define TIMER_INTF REGISTER(0x4005403c)

static void on_line(void) {
    count++;
    if (count == 3) {
        TIMER_INTF = 0;
    }
}

PROGRAM(line_stays, "a line that is high after its handler requests the interrupt again") {
    release_timer();
    handle(IRQ_0, on_line);
    NVIC_ISER = BIT(0);
    TIMER_INTF = 1;
    CHECK(count == 3);
}

PROGRAM(line_holds_pending, "an interrupt can be cleared only while its line is low") {
    release_timer();
    TIMER_INTF = 1;
    NVIC_ICPR = BIT(0);
    CHECK(NVIC_ISPR == BIT(0));
    TIMER_INTF = 0;
    CHECK(NVIC_ISPR == BIT(0));
    NVIC_ICPR = BIT(0);
    CHECK(NVIC_ISPR == 0);
}

// ---- Sleep ----

PROGRAM(wfi_masked, "WFI is ended by an interrupt that PRIMASK masks") {
    prepare(0);
    mask_interrupts();
    set_pending(BIT(0));
    __asm__ volatile("wfi");
    CHECK(order == 0);
    unmask_interrupts();
    CHECK(order == 0xA);
}

PROGRAM(wfe_event, "WFE does not sleep after SEV or after an exception") {
    prepare(0);
    __asm__ volatile("sev\n wfe");
    set_pending(BIT(0));
    __asm__ volatile("wfe");
    CHECK(order == 0xA);
}

static void wait_in_handler(void) { __asm__ volatile("wfe"); }

PROGRAM(wfe_in_handler, "the entry into an exception is an event") {
    handle(IRQ_0, wait_in_handler);
    NVIC_ISER = BIT(0);
    set_pending(BIT(0));
}

// ---- Frames ----

// The stack frame of a handler.
static volatile uint32_t frame[8];
static volatile uint32_t exc_return;
static volatile uint32_t frame_address;

__attribute__((used)) static void keep_frame(const uint32_t *sp, uint32_t lr) {
    for (uint32_t word = 0; word < 8; word++) {
        frame[word] = sp[word];
    }
    frame_address = (uint32_t)sp;
    exc_return = lr;
}

__attribute__((naked)) static void on_frame(void) {
    __asm__ volatile("mov r0, sp\n mov r1, lr\n push {lr}\n bl keep_frame\n pop {pc}");
}

// Pends interrupt 0 with known values in the registers, and with a stack pointer that is 4 or 0
// above a multiple of 8. Returns the difference between the stack pointers before and afterwards.
#define PEND_WITH_STACK(moved, offset)                                                             \
    __asm__ volatile("mov r6, sp\n mov r5, sp\n movs r4, #7\n bics r5, r4\n subs r5, #" #offset    \
                     "\n mov sp, r5\n movs r3, #1\n ldr r4, =0xe000e200\n movs r0, #10\n"          \
                     "movs r1, #11\n movs r2, #12\n cmp r3, #1\n str r3, [r4]\n nop\n"             \
                     "mov r4, sp\n subs %0, r4, r5\n mov sp, r6"                                   \
                     : "=l"(moved)::"r0", "r1", "r2", "r3", "r4", "r5", "r6", "cc", "memory")

PROGRAM(frame_words, "the frame has R0 to R3, R12, LR, the return address and xPSR") {
    handle(IRQ_0, on_frame);
    NVIC_ISER = BIT(0);
    uint32_t moved;
    PEND_WITH_STACK(moved, 8);
    CHECK(moved == 0);
    CHECK(frame[0] == 10 && frame[1] == 11 && frame[2] == 12 && frame[3] == 1);
    CHECK(*(const uint16_t *)frame[6] == 0xBF00); // the address of the NOP after the write
    CHECK((frame[7] & 0xFFFFFFF) == 0x1000000 && frame[7] >> 28 == 6);
    CHECK(frame_address % 8 == 0 && exc_return == 0xFFFFFFF9);
}

PROGRAM(frame_aligned, "a frame is aligned to 8, and bit 9 of xPSR undoes the alignment") {
    handle(IRQ_0, on_frame);
    NVIC_ISER = BIT(0);
    uint32_t moved;
    PEND_WITH_STACK(moved, 4);
    CHECK(moved == 0);
    CHECK(frame_address % 8 == 0 && (frame[7] & 1u << 9) != 0);
}

// ---- Times ----

// The first instruction of the handler sets the end mark, with the registers of the interrupted
// code.
__attribute__((naked)) static void end_mark(void) { __asm__ volatile("str r1, [r2]\n bx lr"); }

#define MARK_AND_PEND(irqs)                                                                        \
    __asm__ volatile("movs r0, #1\n movs r1, #0\n ldr r2, =0xd0000080\n ldr r3, =0xe000e200\n"     \
                     "movs r4, #" #irqs "\n str r0, [r2]\n str r4, [r3]\n nop\n nop\n" ::          \
                         : "r0", "r1", "r2", "r3", "r4", "memory")

MEASURED(entry_time, "an interrupt is entered 15 cycles after the instruction", 1 + 2 + 15) {
    handle(IRQ_0, end_mark);
    NVIC_ISER = BIT(0);
    MARK_AND_PEND(1);
}

// ---- HardFault ----

__attribute__((used)) static volatile uint32_t fault_address;

// Continues at the address in R7 after a fault.
__attribute__((naked)) static void on_fault(void) {
    __asm__("ldr r0, [sp, #24]\n ldr r1, =fault_address\n str r0, [r1]\n str r7, [sp, #24]\n"
            "movs r0, #1\n lsls r0, #24\n str r0, [sp, #28]\n bx lr\n .ltorg");
}

// Checks that the instruction at `1:` causes a fault, and that the stack contains its address, or
// the address in R6.
#define MUST_FAULT(id, text, code)                                                                 \
    __attribute__((naked)) static uint32_t id##_address(void) {                                    \
        __asm__("push {r4-r7, lr}\n ldr r7, =2f\n ldr r6, =1f\n movs r5, #0\n b 0f\n .ltorg\n"     \
                ".p2align 2\n 0: " code "\n 2: mov r0, r6\n pop {r4-r7, pc}");                     \
    }                                                                                              \
    PROGRAM(id, text) {                                                                            \
        handle(HARD_FAULT, on_fault);                                                              \
        CHECK(id##_address() == fault_address);                                                    \
    }

MUST_FAULT(fault_unaligned_word, "LDR from an address that is not a multiple of 4 faults",
           "mov r0, sp\n adds r0, #2\n 1: ldr r1, [r0]")
MUST_FAULT(fault_unaligned_half, "STRH to an odd address faults",
           "mov r0, sp\n subs r0, #31\n 1: strh r1, [r0]")
MUST_FAULT(fault_unaligned_multiple, "LDM from an address that is not a multiple of 4 faults",
           "mov r0, sp\n adds r0, #2\n 1: ldm r0!, {r1, r2}")
MUST_FAULT(fault_nothing, "LDR from an address without a block faults",
           "ldr r0, =0x30000000\n 1: ldr r1, [r0]\n b 2f\n .ltorg")
MUST_FAULT(fault_rom, "STR to the ROM faults", "1: str r1, [r5]")
MUST_FAULT(fault_undefined, "UDF faults", "1: udf #0")
MUST_FAULT(fault_long, "a 32-bit instruction that ARMv6-M does not have faults",
           "1: .short 0xfb90, 0xf0f1") // SDIV
MUST_FAULT(fault_breakpoint, "BKPT without a debugger faults", "1: bkpt #0")
MUST_FAULT(fault_fetch, "a branch to an address without memory faults at that address",
           "ldr r6, =0x30000000\n adds r0, r6, #1\n bx r0\n .ltorg\n 1:")
MUST_FAULT(fault_state, "BX to an even address faults at the target",
           "adr r0, 1f\n mov r6, r0\n bx r0\n .p2align 2\n 1: nop")

static void fault_again(void) { __asm__ volatile("udf #0"); }

REFUSED(lockup, "a fault in HardFault is reported", "lockup: a fault in HardFault") {
    handle(HARD_FAULT, fault_again);
    fault_again();
}

REFUSED(vector_without_thumb, "an even vector causes a HardFault", "lockup: a fault in HardFault") {
    handle(IRQ_0, (void (*)(void))((uint32_t)on_0 & ~1u));
    handle(HARD_FAULT, (void (*)(void))((uint32_t)on_0 & ~1u));
    NVIC_ISER = BIT(0);
    set_pending(BIT(0));
}

REFUSED(supervisor_call, "SVC is not modeled", "SVC is not modeled") { __asm__ volatile("svc #0"); }

REFUSED(narrow_nvic, "the NVIC accepts only writes of words", "writing 0x1 to 0xe000e100") {
    *(volatile uint8_t *)&NVIC_ISER = 1;
}
