// Compares the simulator's interpreter of ARMv6-M with unicorn, which uses QEMU's translator. The
// program executes all 16-bit opcodes and many 32-bit opcodes, each from several random states.
// Afterwards, registers, flags and memory must be equal, or both programs must have refused the
// instruction.
//
// unicorn models neither cycles nor the exceptions of the M profile; Tests/Simulators/tests tests
// the cycles and the exceptions against the manuals. The program links libunicorn, which is under
// the GPL, version 2. The program is a separate test tool, which is not linked into any other
// program.
#include "../rp2040/m0.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

#define SEED UINT64_C(0x1234ABCD)
#define FIRST_LONG 0xE800u // opcodes below this value have 16 bits
#define BRANCHES 0x1000u   // number of 32-bit branches with link
#define STATES 4u          // number of states for each opcode
#define SHOWN_MAX 20u

// The two addresses of each opcode. Only the first address is a multiple of 4. Branches follow the
// opcode, because unicorn translates code up to the next branch.
#define SLOT_SIZE 12u
#define SLOT_SECOND 6u
#define BRANCH 0xE7FEu
#define CODE_BASE 0x10000000u
#define CODE_SIZE 0x100000u
#define RAM_BASE 0x20000000u
#define RAM_SIZE 0x2000u

#define FLAGS 0xF0000000u

static uint8_t code[CODE_SIZE];
static uint8_t our_ram[RAM_SIZE];
static uint8_t their_ram[RAM_SIZE];

struct state {
    uint32_t r[16];
    uint32_t flags;
    uint32_t process_sp;
    uint32_t is_masked; // PRIMASK
    bool refused;
};

struct referee {
    uc_engine *engine;
    uc_context *blank;
    bool has_interrupt;
    struct m0 cpu;
    uint64_t random;
    uint32_t slots;
    unsigned long compared;
    unsigned long unaligned;
    unsigned long differences;
};

static uint64_t draw(struct referee *referee) { // SplitMix64
    referee->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = referee->random;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

// ---- The simulator ----

static uint32_t read_code(void *owner, uint32_t address, unsigned size) {
    struct referee *referee = owner;
    uint32_t value = 0;
    if (address - CODE_BASE >= CODE_SIZE) {
        m0_fault(&referee->cpu, "no block at the address");
        return 0;
    }
    memcpy(&value, &code[address - CODE_BASE], size);
    return value;
}

static void write_nothing(void *owner, uint32_t address, unsigned size, uint32_t value) {
    struct referee *referee = owner;
    (void)address, (void)size, (void)value;
    m0_fault(&referee->cpu, "no block at the address");
}

static uint16_t fetch(void *owner, uint32_t address) {
    return (uint16_t)read_code(owner, address, 2);
}

static bool break_not(void *owner) {
    (void)owner;
    return false;
}

static void fault_silently(void *owner, const char *why) { (void)owner, (void)why; }

__attribute__((noreturn)) static void crash(void *owner, const char *what) {
    const struct referee *referee = owner;
    fprintf(stderr, "at 0x%08" PRIx32 ": %s\n", referee->cpu.r[M0_PC], what);
    exit(EXIT_FAILURE);
}

static void begin_ours(struct referee *referee) {
    const struct m0_bus bus = {.read = read_code,
                               .write = write_nothing,
                               .fetch = fetch,
                               .breakpoint = break_not,
                               .has_faulted = fault_silently,
                               .crash = crash,
                               .owner = referee};
    m0_init(&referee->cpu, &bus, our_ram, RAM_BASE, RAM_SIZE);
}

static void step_ours(struct referee *referee, const struct state *from, struct state *to) {
    struct m0 *cpu = &referee->cpu;
    m0_reset(cpu, from->r[M0_SP], from->r[M0_PC] | 1);
    memcpy(cpu->r, from->r, sizeof cpu->r);
    m0_set_flags(cpu, from->flags);
    cpu->process_sp = from->process_sp;
    cpu->nvic.is_masked = from->is_masked;
    m0_run(cpu, 1);
    memcpy(to->r, cpu->r, sizeof to->r);
    to->flags = m0_psr(cpu) & FLAGS;
    to->process_sp = cpu->process_sp;
    to->is_masked = cpu->nvic.is_masked;
    to->refused = cpu->hard_fault != NULL;
}

// ---- unicorn ----

static const int registers[] = {
    UC_ARM_REG_R0,  UC_ARM_REG_R1,   UC_ARM_REG_R2,  UC_ARM_REG_R3,      UC_ARM_REG_R4,
    UC_ARM_REG_R5,  UC_ARM_REG_R6,   UC_ARM_REG_R7,  UC_ARM_REG_R8,      UC_ARM_REG_R9,
    UC_ARM_REG_R10, UC_ARM_REG_R11,  UC_ARM_REG_R12, UC_ARM_REG_SP,      UC_ARM_REG_LR,
    UC_ARM_REG_PC,  UC_ARM_REG_XPSR, UC_ARM_REG_PSP, UC_ARM_REG_PRIMASK,
};
#define REGISTERS (sizeof registers / sizeof registers[0])

static void expect(uc_err error, const char *what) {
    if (error != UC_ERR_OK) {
        fprintf(stderr, "unicorn: %s: %s\n", what, uc_strerror(error));
        exit(EXIT_FAILURE);
    }
}

static void on_interrupt(uc_engine *engine, uint32_t number, void *owner) {
    struct referee *referee = owner;
    (void)number;
    referee->has_interrupt = true;
    uc_emu_stop(engine);
}

static void begin_theirs(struct referee *referee) {
    expect(uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &referee->engine), "open");
    expect(uc_ctl_set_cpu_model(referee->engine, UC_CPU_ARM_CORTEX_M0), "model");
    expect(uc_mem_map_ptr(referee->engine, CODE_BASE, CODE_SIZE, UC_PROT_READ | UC_PROT_EXEC, code),
           "code");
    expect(uc_mem_map_ptr(referee->engine, RAM_BASE, RAM_SIZE, UC_PROT_ALL, their_ram), "memory");
    uc_hook hook;
    expect(uc_hook_add(referee->engine, &hook, UC_HOOK_INTR, (void *)on_interrupt, referee, 1, 0),
           "hook");
    expect(uc_context_alloc(referee->engine, &referee->blank), "context");
    expect(uc_context_save(referee->engine, referee->blank), "context");
}

// Executes an instruction with unicorn. If unicorn executes the instruction but cannot continue
// after it, for example after a jump to an unmapped address, the result does not count as a
// refusal.
static void step_theirs(struct referee *referee, const struct state *from, struct state *to) {
    uint32_t values[REGISTERS];
    void *pointers[REGISTERS];
    memcpy(values, from->r, sizeof from->r);
    values[16] = from->flags;
    values[17] = from->process_sp;
    values[18] = from->is_masked;
    for (size_t index = 0; index < REGISTERS; index++) {
        pointers[index] = &values[index];
    }
    expect(uc_context_restore(referee->engine, referee->blank), "context");
    expect(uc_reg_write_batch(referee->engine, (int *)registers, pointers, REGISTERS), "registers");
    referee->has_interrupt = false;
    uc_err error = uc_emu_start(referee->engine, from->r[M0_PC] | 1, UINT32_MAX, 0, 1);
    expect(uc_reg_read_batch(referee->engine, (int *)registers, pointers, REGISTERS), "registers");
    memcpy(to->r, values, sizeof to->r);
    to->r[M0_SP] &= ~3u; // unicorn stores the low bits that were written
    to->flags = values[16] & FLAGS;
    to->process_sp = values[17] & ~3u;
    to->is_masked = values[18];
    to->refused = (error != UC_ERR_OK || referee->has_interrupt) && to->r[M0_PC] == from->r[M0_PC];
}

// ---- Deviations of unicorn from a Cortex-M0 ----

// The opcodes that are skipped. The remaining 32-bit instructions are also skipped, because they
// belong to ARMv7-M.
struct deviation {
    uint32_t mask;
    uint32_t bits;
    const char *what;
};

static const struct deviation deviations[] = {
    {0xFF01, 0x4701, "BX, BLX with a bit that should be 0"},
    {0xFF02, 0x4702, "BX, BLX with a bit that should be 0"},
    {0xFF04, 0x4704, "BXNS and BLXNS, which belong to ARMv8-M"},
    {0xF500, 0xB100, "CBZ and CBNZ, which belong to ARMv7-M"},
    {0xFFF7, 0xB650, "SETEND, which belongs to other profiles"},
    {0xFFE1, 0xB661, "CPS of a flag other than I"},
    {0xFFE4, 0xB664, "CPS of a flag other than I"},
    {0xFFE8, 0xB668, "CPS with a bit that should be 0"},
    {0xFFEF, 0xB660, "CPS without a flag"},
    {0xFF01, 0xBF01, "IT, of ARMv7-M"},
    {0xFF02, 0xBF02, "IT, of ARMv7-M"},
    {0xFF04, 0xBF04, "IT, of ARMv7-M"},
    {0xFF08, 0xBF08, "IT, of ARMv7-M"},
    {0xFF00, 0xBE00, "BKPT, which ends the emulation"},
    {0xFF00, 0xDF00, "SVC, which ends both programs"},
};

static bool is_deviation(uint32_t opcode) {
    for (size_t index = 0; index < sizeof deviations / sizeof deviations[0]; index++) {
        if ((opcode & deviations[index].mask) == deviations[index].bits) {
            return true;
        }
    }
    return false;
}

// Returns true if the simulator has refused an unaligned access, although unicorn executes such an
// access. The alignment of an access depends on the state.
static bool is_unaligned(const struct m0 *cpu) {
    return cpu->hard_fault != NULL && strcmp(cpu->hard_fault, "an unaligned access") == 0;
}

// ---- States ----

// Returns a random value that most instructions can use: an address in memory, a small number, or
// an address of code.
static uint32_t draw_register(struct referee *referee) {
    static const uint32_t edges[] = {0, 1, 31, 32, 33, 0x7FFFFFFF, 0x80000000, UINT32_MAX};
    uint64_t bits = draw(referee);
    uint32_t value = (uint32_t)(bits >> 32);
    switch (bits & 7) {
    case 0:
    case 1:
    case 2: // in the middle half of the memory
        return RAM_BASE + RAM_SIZE / 4 + value % (RAM_SIZE / 2) / 4 * 4;
    case 3:
        return RAM_BASE + RAM_SIZE / 4 + value % (RAM_SIZE / 2);
    case 4:
        return value % 64;
    case 5:
        return edges[value % (sizeof edges / sizeof edges[0])];
    case 6:
        return CODE_BASE + value % CODE_SIZE;
    default:
        return value;
    }
}

static struct state draw_state(struct referee *referee, uint32_t address) {
    struct state state = {.flags = (uint32_t)draw(referee) & FLAGS,
                          .process_sp = draw_register(referee) & ~3u,
                          .is_masked = draw(referee) & 1};
    for (unsigned number = 0; number < M0_PC; number++) {
        state.r[number] = draw_register(referee);
    }
    state.r[M0_SP] = RAM_BASE + RAM_SIZE / 4 + (uint32_t)draw(referee) % (RAM_SIZE / 2) / 4 * 4;
    state.r[M0_PC] = address;
    return state;
}

// ---- Comparison ----

static void show(struct referee *referee, const char *what, const struct state *from,
                 const struct state *ours, const struct state *theirs) {
    if (referee->differences++ >= SHOWN_MAX) {
        return;
    }
    const uint8_t *bytes = &code[from->r[M0_PC] - CODE_BASE];
    fprintf(stderr, "%02x%02x %02x%02x: %s: refused %d %d, flags %" PRIx32 " %" PRIx32 "\n",
            bytes[1], bytes[0], bytes[3], bytes[2], what, ours->refused, theirs->refused,
            ours->flags >> 28, theirs->flags >> 28);
    for (unsigned number = 0; number <= M0_PC; number++) {
        if (ours->r[number] != theirs->r[number]) {
            fprintf(stderr, "    r%u: from %08" PRIx32 " to %08" PRIx32 ", theirs %08" PRIx32 "\n",
                    number, from->r[number], ours->r[number], theirs->r[number]);
        }
    }
}

static const char *difference(const struct state *ours, const struct state *theirs) {
    if (ours->refused || theirs->refused) {
        return ours->refused == theirs->refused ? NULL : "only one refuses";
    }
    if (memcmp(ours->r, theirs->r, sizeof ours->r) != 0) {
        return "registers";
    }
    if (ours->flags != theirs->flags) {
        return "flags";
    }
    if (ours->process_sp != theirs->process_sp || ours->is_masked != theirs->is_masked) {
        return "special registers";
    }
    return memcmp(our_ram, their_ram, RAM_SIZE) != 0 ? "memory" : NULL;
}

static void compare(struct referee *referee, uint32_t address) {
    struct state from = draw_state(referee, address);
    struct state ours;
    struct state theirs;
    step_ours(referee, &from, &ours);
    step_theirs(referee, &from, &theirs);
    if (is_unaligned(&referee->cpu)) {
        referee->unaligned++;
    } else {
        const char *what = difference(&ours, &theirs);
        referee->compared++;
        if (what != NULL) {
            show(referee, what, &from, &ours, &theirs);
        }
    }
    memcpy(their_ram, our_ram, RAM_SIZE);
}

// ---- Instructions ----

static void put(uint8_t *bytes, uint32_t first, uint32_t second) {
    const uint32_t half[] = {first, second, BRANCH};
    for (size_t index = 0; index < sizeof half / sizeof half[0]; index++) {
        bytes[2 * index] = (uint8_t)half[index];
        bytes[2 * index + 1] = (uint8_t)(half[index] >> 8);
    }
}

static void add_code(struct referee *referee, uint32_t first, uint32_t second) {
    uint32_t offset = referee->slots++ * SLOT_SIZE;
    put(&code[offset], first, second);
    put(&code[offset + SLOT_SECOND], first, second);
}

static void add_short(struct referee *referee) {
    for (uint32_t opcode = 0; opcode < FIRST_LONG; opcode++) {
        if (!is_deviation(opcode)) {
            add_code(referee, opcode, BRANCH);
        }
    }
}

static void add_special(struct referee *referee) {
    // APSR to xPSR, IPSR to IEPSR, MSP, PSP, PRIMASK, and read-only: CONTROL.
    static const uint8_t numbers[] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 20};
    for (size_t index = 0; index < sizeof numbers; index++) {
        for (uint32_t number = 0; number < M0_SP; number++) {
            add_code(referee, 0xF3EF, 0x8000 | number << 8 | numbers[index]);
            if (numbers[index] != 20) {
                add_code(referee, 0xF380 | number, 0x8800 | numbers[index]);
            }
        }
    }
    add_code(referee, 0xF3BF, 0x8F4F); // DSB
    add_code(referee, 0xF3BF, 0x8F5F); // DMB
    add_code(referee, 0xF3BF, 0x8F6F); // ISB
}

static void add_long(struct referee *referee) {
    for (uint32_t count = 0; count < BRANCHES; count++) {
        uint32_t bits = (uint32_t)draw(referee);
        add_code(referee, 0xF000 | (bits & 0x7FF), 0xD000 | (bits >> 16 & 0x2FFF));
    }
    add_special(referee);
}

int main(void) {
    static struct referee referee = {.random = SEED};
    for (uint32_t byte = 0; byte < RAM_SIZE; byte++) {
        our_ram[byte] = (uint8_t)draw(&referee);
    }
    memcpy(their_ram, our_ram, RAM_SIZE);
    begin_ours(&referee);
    begin_theirs(&referee);
    add_short(&referee);
    add_long(&referee);
    for (uint32_t slot = 0; slot < referee.slots; slot++) {
        for (uint32_t state = 0; state < STATES; state++) {
            compare(&referee, CODE_BASE + slot * SLOT_SIZE + SLOT_SECOND * (state & 1));
        }
    }
    printf("%" PRIu32 " instructions, %lu comparisons, %lu differences; %lu unaligned accesses, "
           "which unicorn executes\n",
           referee.slots, referee.compared, referee.differences, referee.unaligned);
    return referee.differences == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
