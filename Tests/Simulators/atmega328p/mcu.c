#include "mcu.h"

#include "random.h"

#include <avr_flash.h>
#include <avr_watchdog.h>
#include <sim_avr.h>
#include <sim_core.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_CRASH 70

#define OPCODE_ERASED 0xFFFFu
#define OPCODE_LOOP 0xCFFFu // RJMP to itself

// The number of cycles until the first instruction of a vector executes, and the number of
// additional cycles after sleep (7.7.1).
#define RESPONSE_CYCLES 4u
#define WAKE_CYCLES 4u

#define LOG_COLOUR "\033[31m" // the color of libsimavr's error messages

// A global pointer to the MCU. It is needed because some callbacks of libsimavr have no argument
// for such a pointer.
static struct mcu *the_mcu;

_Noreturn void mcu_crash(const struct mcu *mcu, const char *what) {
    fflush(stdout);
    fprintf(stderr, "error: %s at PC 0x%04" PRIX32 ", cycle %" PRIu64 "\n", what,
            mcu_program_counter(mcu), mcu->now);
    exit(EXIT_CRASH);
}

// ---- Callbacks of libsimavr ----

// Handles a message of libsimavr. libsimavr reports an invalid opcode or an access outside memory
// as an error, and continues.
static void on_log(struct avr_t *core, const int level, const char *format, va_list arguments) {
    (void)core;
    if (level != LOG_ERROR) {
        return;
    }
    char text[200];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = '\0';
    size_t colour = strncmp(text, LOG_COLOUR, strlen(LOG_COLOUR)) == 0 ? strlen(LOG_COLOUR) : 0;
    mcu_crash(the_mcu, &text[colour]);
}

static uint8_t on_read(struct avr_t *core, avr_io_addr_t address, void *owner) {
    (void)core;
    const struct mcu *mcu = owner;
    return mcu->registers[address].read(mcu->registers[address].owner, address);
}

static void on_write(struct avr_t *core, avr_io_addr_t address, uint8_t value, void *owner) {
    (void)core;
    const struct mcu *mcu = owner;
    mcu->registers[address].write(mcu->registers[address].owner, address, value);
}

static int on_special_instruction(struct avr_io_t *io, uint32_t what, void *parameter) {
    (void)io;
    (void)parameter;
    const struct mcu_vector *instruction = NULL;
    if (what == AVR_IOCTL_WATCHDOG_RESET) {
        instruction = &the_mcu->watchdog_reset;
    } else if (what == AVR_IOCTL_FLASH_SPM) {
        instruction = &the_mcu->store_program;
    }
    if (instruction != NULL) {
        instruction->acknowledge(instruction->owner);
    }
    return 0;
}

// ---- Set-up ----

void mcu_init(struct mcu *mcu) {
    static avr_io_t instructions = {.kind = "instructions", .ioctl = on_special_instruction};
    *mcu = (struct mcu){.written_bits = 0xFF, .boot_start = FLASH_SIZE};
    the_mcu = mcu;
    avr_global_logger_set(on_log);
    mcu->core = avr_make_mcu_by_name("atmega328p");
    if (mcu->core == NULL) {
        fputs("error: libsimavr does not support the atmega328p\n", stderr);
        exit(EXIT_CRASH);
    }
    avr_init(mcu->core);
    memset(mcu->core->io, 0, sizeof mcu->core->io);
    mcu->core->io_port = NULL;
    avr_register_io(mcu->core, &instructions);
    mcu->data = mcu->core->data;
    mcu->flash = mcu->core->flash;
}

void mcu_set_boot_loader(struct mcu *mcu, uint32_t address) {
    uint32_t size = BOOT_SECTION_MIN;
    while (address < FLASH_SIZE - size && size < BOOT_SECTION_MAX) {
        size *= 2;
    }
    mcu->boot_start = FLASH_SIZE - size;
}

static bool has_boot_loader(const struct mcu *mcu) { return mcu->boot_start != FLASH_SIZE; }

void mcu_on_read(struct mcu *mcu, uint16_t address, uint8_t (*read)(void *owner, uint16_t address),
                 void *owner) {
    mcu->registers[address].read = read;
    mcu->registers[address].owner = owner;
    mcu->core->io[AVR_DATA_TO_IO(address)].r.c = on_read;
    mcu->core->io[AVR_DATA_TO_IO(address)].r.param = mcu;
}

void mcu_on_write(struct mcu *mcu, uint16_t address,
                  void (*write)(void *owner, uint16_t address, uint8_t value), void *owner) {
    mcu->registers[address].write = write;
    mcu->registers[address].owner = owner;
    mcu->core->io[AVR_DATA_TO_IO(address)].w.c = on_write;
    mcu->core->io[AVR_DATA_TO_IO(address)].w.param = mcu;
}

void mcu_on_interrupt(struct mcu *mcu, uint8_t vector, void (*acknowledge)(void *owner),
                      void *owner) {
    mcu->vectors[vector] = (struct mcu_vector){.acknowledge = acknowledge, .owner = owner};
}

void mcu_request(struct mcu *mcu, uint8_t vector, bool requested) {
    uint32_t bit = UINT32_C(1) << vector;
    mcu->requests = requested ? mcu->requests | bit : mcu->requests & ~bit;
}

// ---- Reset ----

static uint16_t stack_pointer(const struct mcu *mcu) {
    return (uint16_t)(mcu->data[SPL] | mcu->data[SPH] << 8);
}

static void set_stack_pointer(struct mcu *mcu, uint16_t address) {
    mcu->data[SPL] = (uint8_t)address;
    mcu->data[SPH] = (uint8_t)(address >> 8);
}

void mcu_scramble(struct mcu *mcu, uint64_t seed) {
    struct random random = random_from(seed);
    for (uint16_t address = 0; address < IO_START; address++) {
        mcu->data[address] = random_byte(&random);
    }
    for (uint16_t address = SRAM_START; address <= RAMEND; address++) {
        mcu->data[address] = random_byte(&random);
    }
}

void mcu_reset(struct mcu *mcu) {
    memset(&mcu->data[IO_START], 0, SRAM_START - IO_START);
    memset(mcu->core->sreg, 0, sizeof mcu->core->sreg);
    set_stack_pointer(mcu, RAMEND);
    mcu->core->pc = has_boot_loader(mcu) ? mcu->boot_start : 0;
    mcu->lowest_stack = RAMEND;
    mcu->requests = 0;
    mcu->asleep = false;
    mcu->one_more_instruction = false;
    mcu->stack_is_split = false;
    mcu->hang = MCU_RUNS;
}

// ---- Interrupts ----

static bool interrupts_are_on(const struct mcu *mcu) { return mcu->core->sreg[S_I]; }

static void set_interrupts(struct mcu *mcu, bool on) { mcu->core->sreg[S_I] = on; }

// Records the maximum size of the stack.
static void check_stack(struct mcu *mcu, uint16_t stack) {
    if (stack < SRAM_START - 1) {
        mcu_crash(mcu, "the stack pointer is outside of SRAM");
    }
    mcu->lowest_stack = stack;
}

static void push_program_counter(struct mcu *mcu) {
    uint16_t stack = stack_pointer(mcu);
    if (stack <= SRAM_START || stack > RAMEND) {
        mcu_crash(mcu, "an interrupt while the stack pointer is outside of SRAM");
    }
    uint32_t word = mcu->core->pc >> 1;
    mcu->data[stack] = (uint8_t)word;
    mcu->data[stack - 1] = (uint8_t)(word >> 8);
    set_stack_pointer(mcu, (uint16_t)(stack - 2));
    if (stack - 2 < mcu->lowest_stack) {
        check_stack(mcu, (uint16_t)(stack - 2));
    }
}

static void call_interrupt(struct mcu *mcu) {
    uint8_t vector = (uint8_t)__builtin_ctz(mcu->requests);
    push_program_counter(mcu);
    set_interrupts(mcu, false);
    mcu->core->pc = vector * VECTOR_SIZE;
    mcu->now += RESPONSE_CYCLES + (mcu->asleep ? WAKE_CYCLES : 0);
    mcu->asleep = false;
    if (mcu->vectors[vector].acknowledge != NULL) {
        mcu->vectors[vector].acknowledge(mcu->vectors[vector].owner);
    }
}

// ---- Instructions ----

static uint16_t opcode_at(const struct mcu *mcu, uint32_t address) {
    return (uint16_t)(mcu->flash[address] | mcu->flash[address + 1] << 8);
}

static uint8_t written_bits(uint16_t opcode) {
    bool is_sbi_or_cbi = (opcode & 0xFD00) == 0x9800;
    return (uint8_t)(is_sbi_or_cbi ? 1 << (opcode & 7) : 0xFF);
}

static bool is_out(uint16_t opcode, uint16_t address) { // to SPL or SPH
    uint16_t io = (uint16_t)(address - IO_START);
    return (opcode & 0xFE0F) == (0xB800 | (io & 0x30) << 5 | (io & 0x0F));
}

// Checks the stack pointer. A program writes the two halves of the stack pointer separately;
// between the two writes, the value is invalid.
static void watch_stack(struct mcu *mcu, uint16_t opcode) {
    if (is_out(opcode, SPH)) {
        mcu->stack_is_split = true;
    } else if (is_out(opcode, SPL)) {
        mcu->stack_is_split = false;
    }
    uint16_t stack = stack_pointer(mcu);
    if (stack < mcu->lowest_stack && !mcu->stack_is_split) {
        check_stack(mcu, stack);
    }
}

// Executes SLEEP (10.11.1). Modes other than Idle stop clocks.
static void fall_asleep(struct mcu *mcu) {
    mcu->core->state = cpu_Running;
    if ((mcu->data[SMCR] & SE) == 0) {
        return;
    }
    if ((mcu->data[SMCR] & SM2_0) != 0) {
        mcu_crash(mcu, "a sleep mode other than Idle is not modeled");
    }
    mcu->asleep = true;
}

// Stops the CPU until a reset if it executes erased flash. A blank chip executes erased words until
// it reaches the boot loader, which then starts the missing program again, in an endless cycle.
static void execute_erased(struct mcu *mcu) {
    if (!has_boot_loader(mcu)) {
        mcu_crash(mcu, "the program executed erased flash");
    }
    mcu->asleep = true;
}

static void execute(struct mcu *mcu) {
    avr_t *core = mcu->core;
    uint16_t opcode = opcode_at(mcu, core->pc);
    if (opcode == OPCODE_ERASED) {
        execute_erased(mcu);
        return;
    }
    mcu->written_bits = written_bits(opcode);
    core->cycle = mcu->now;
    core->run_cycle_count = 0; // execute a single instruction
    core->pc = avr_run_one(core);
    mcu->now = core->cycle;
    if (core->pc >= FLASH_SIZE) {
        mcu_crash(mcu, "the program continued after the end of flash");
    }
    watch_stack(mcu, opcode);
    if (core->state == cpu_Sleeping) {
        fall_asleep(mcu);
    }
    // This value in libsimavr's state indicates that SEI or RETI has just enabled interrupts.
    mcu->one_more_instruction = core->interrupt_state < 0;
    core->interrupt_state = 0;
}

// ---- Hanging ----

// Returns the address of a word of flash that the image does not contain.
static uint32_t find_free_word(const struct mcu *mcu) {
    uint32_t address = mcu->boot_start - 2;
    while (address > 0 && opcode_at(mcu, address) != OPCODE_ERASED &&
           opcode_at(mcu, address) != OPCODE_LOOP) {
        address -= 2;
    }
    if (address == 0) {
        mcu_crash(mcu, "hang requires an erased word of flash");
    }
    return address;
}

static void start_hanging(struct mcu *mcu) {
    uint32_t address = find_free_word(mcu);
    mcu->flash[address] = (uint8_t)OPCODE_LOOP;
    mcu->flash[address + 1] = (uint8_t)(OPCODE_LOOP >> 8);
    mcu->core->pc = address;
    set_interrupts(mcu, mcu->hang == MCU_HANGS_WITH_INTERRUPTS);
    mcu->asleep = false;
    mcu->hang = MCU_RUNS;
}

void mcu_hang(struct mcu *mcu, enum mcu_hang hang) { mcu->hang = hang; }

void mcu_poke(struct mcu *mcu, uint16_t address, uint8_t value) {
    if (address < SRAM_START && mcu->registers[address].write != NULL) {
        mcu->registers[address].write(mcu->registers[address].owner, address, value);
    } else {
        mcu->data[address] = value;
    }
}

// ---- Running ----

void mcu_step(struct mcu *mcu, uint64_t limit) {
    if (mcu->now < mcu->starts_at) {
        mcu->now = limit < mcu->starts_at ? limit : mcu->starts_at;
        return;
    }
    if (mcu->hang != MCU_RUNS && (interrupts_are_on(mcu) || mcu->asleep)) {
        start_hanging(mcu);
    }
    if (mcu->requests != 0 && interrupts_are_on(mcu) && !mcu->one_more_instruction) {
        call_interrupt(mcu);
    } else if (mcu->asleep) {
        mcu->slept += limit - mcu->now;
        mcu->now = limit;
    } else {
        execute(mcu);
    }
}

bool mcu_is_asleep(const struct mcu *mcu) { return mcu->asleep; }

uint32_t mcu_program_counter(const struct mcu *mcu) { return mcu->core->pc; }
