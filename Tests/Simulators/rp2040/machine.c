#include "machine.h"

#include "../common/random.h"
#include "bus.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define EXIT_CRASH 70

// The maximum number of cycles for which the processor runs between two checks of the schedule.
#define RUN_CYCLES_MAX 1000000u

// ---- Ends of the simulator ----

void machine_crash(const struct machine *machine, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " at PC 0x%08" PRIX32 ", cycle %" PRIu64 "\n", machine->cpu.r[M0_PC],
            machine->now);
    va_end(arguments);
    exit(EXIT_CRASH);
}

void machine_not_modelled(const struct machine *machine, const char *block, uint32_t offset) {
    machine_crash(machine, "%s + 0x%" PRIx32 " is not modeled", block, offset);
}

void machine_check_bits(const struct machine *machine, const char *block, uint32_t offset,
                        uint32_t value, uint32_t modeled) {
    if ((value & ~modeled) != 0) {
        machine_crash(machine,
                      "0x%" PRIx32 " for %s + 0x%" PRIx32 ": bits 0x%" PRIx32 " are not modeled",
                      value, block, offset, value & ~modeled);
    }
}

void machine_tell_fault(struct machine *machine, const char *why) {
    machine_synchronize(machine);
    trace_line(machine->trace, "fault %" PRIu64 " 0x%08" PRIx32 " %s", machine->now,
               machine->cpu.r[M0_PC], why);
}

// ---- Set-up ----

void machine_init(struct machine *machine, struct schedule *schedule, struct trace *trace,
                  const struct machine_board *board, uint64_t seed) {
    *machine = (struct machine){
        .trace = trace, .schedule = schedule, .board = *board, .seed = seed, .run_period = 1};
    struct m0_bus bus = bus_of(machine);
    m0_init(&machine->cpu, &bus, machine->sram, SRAM_BASE, SRAM_SIZE);
    boot_rom_init(&machine->boot_rom, machine);
    clocks_init(&machine->clocks, machine);
    resets_init(&machine->resets, machine);
    timer_init(&machine->timer, machine);
    watchdog_init(&machine->watchdog, machine);
    gpio_init(&machine->gpio, machine);
}

void machine_add_registers(struct machine *machine, const struct registers *registers) {
    assert(machine->register_count < REGISTERS_MAX);
    machine->registers[machine->register_count++] = *registers;
}

void machine_add_memory(struct machine *machine, const struct memory *memory) {
    assert(machine->memory_count < MEMORIES_MAX);
    machine->memories[machine->memory_count++] = *memory;
}

// ---- Reset ----

void machine_reset_blocks(struct machine *machine, uint32_t blocks) {
    for (size_t index = 0; index < machine->register_count; index++) {
        const struct registers *registers = &machine->registers[index];
        if ((registers->supply.resets & blocks) != 0 && registers->reset != NULL) {
            registers->reset(registers->owner);
        }
    }
}

// Resets the blocks that have no bit in RESETS.
static void reset_others(struct machine *machine) {
    for (size_t index = 0; index < machine->register_count; index++) {
        const struct registers *registers = &machine->registers[index];
        if (registers->supply.resets == 0 && registers->reset != NULL) {
            registers->reset(registers->owner);
        }
    }
}

static void reset_chip(struct machine *machine, bool stops_crystal) {
    m0_reset(&machine->cpu, 0, ROM_LOOP | 1);
    clocks_reset(&machine->clocks, stops_crystal);
    resets_reset(&machine->resets);
    reset_others(machine);
    gpio_reset_sio(&machine->gpio);
    step_mark_reset(&machine->step_mark);
    machine->hang = HANG_NOT;
    machine->watchdog_reason = 0;
}

static void start(struct machine *machine, enum reset_cause cause) {
    static const char *const names[] = {"power", "external", "watchdog"};
    trace_line(machine->trace, "reset %" PRIu64 " %s", machine->now, names[cause]);
    boot_rom_start(&machine->boot_rom);
    machine->board.has_reset(machine->board.owner, cause);
}

static void start_whole(struct machine *machine, enum reset_cause cause) {
    reset_chip(machine, true);
    watchdog_reset(&machine->watchdog);
    resets_set_cause(&machine->resets, cause == RESET_POWER);
    start(machine, cause);
}

static void restart(struct machine *machine, uint32_t reason) {
    reset_chip(machine, false);
    watchdog_reset_by_itself(&machine->watchdog, reason);
}

static void scramble(struct machine *machine) {
    struct random random = random_from(machine->seed);
    for (size_t index = 0; index < SRAM_SIZE; index++) {
        machine->sram[index] = random_byte(&random);
    }
}

void machine_set_power(struct machine *machine, bool on) {
    if (on == machine->has_power) {
        return;
    }
    machine->has_power = on;
    if (on) {
        scramble(machine);
        start_whole(machine, RESET_POWER);
    } else {
        reset_chip(machine, true);
        watchdog_reset(&machine->watchdog);
        boot_rom_stop(&machine->boot_rom);
    }
}

void machine_pull_run(struct machine *machine) {
    if (machine->has_power) {
        start_whole(machine, RESET_EXTERNAL);
    }
}

void machine_request_watchdog_reset(struct machine *machine, uint32_t reason) {
    machine->watchdog_reason = reason;
}

void machine_restart_in_bootsel(struct machine *machine) {
    restart(machine, WATCHDOG_REASON_TIMER);
}

void machine_leave_bootsel(struct machine *machine) {
    if (machine->boot_rom.state == BOOT_USB) {
        restart(machine, WATCHDOG_REASON_TIMER);
        start(machine, RESET_WATCHDOG);
    }
}

// ---- Running ----

void machine_synchronize(struct machine *machine) {
    struct m0 *cpu = &machine->cpu;
    if (machine->is_running) {
        machine->now = machine->run_since + (uint64_t)cpu->elapsed * machine->run_period;
        m0_yield(cpu);
    }
}

void machine_wait(struct machine *machine, uint32_t cycles) { machine->cpu.elapsed += cycles; }

void machine_set_irq(struct machine *machine, enum irq irq, bool level) {
    nvic_set_line(&machine->cpu.nvic, irq, level);
}

void machine_hang(struct machine *machine, enum hang hang) { machine->hang = hang; }

static void start_hanging(struct machine *machine) {
    struct m0 *cpu = &machine->cpu;
    if (m0_is_in_handler(cpu) || cpu->is_entering || (cpu->nvic.is_masked && !cpu->is_asleep)) {
        return;
    }
    cpu->r[M0_PC] = ROM_LOOP;
    cpu->is_asleep = false;
    cpu->nvic.is_masked = machine->hang == HANG_WITHOUT_INTERRUPTS;
    machine->hang = HANG_NOT;
}

static void run_processor(struct machine *machine, uint64_t until) {
    if (machine->hang != HANG_NOT) {
        start_hanging(machine);
    }
    if (m0_sleeps(&machine->cpu)) {
        machine->slept += until - machine->now;
        machine->now = until;
        return;
    }
    machine->run_since = machine->now;
    machine->run_period = clocks_sys_period(&machine->clocks);
    uint64_t cycles = (until - machine->now + machine->run_period - 1) / machine->run_period;
    machine->is_running = true;
    m0_run(&machine->cpu, cycles < RUN_CYCLES_MAX ? (uint32_t)cycles : RUN_CYCLES_MAX);
    machine_synchronize(machine);
    machine->is_running = false;
}

static void let_happen(struct machine *machine, uint64_t until) {
    schedule_run(machine->schedule, until);
    if (machine->watchdog_reason != 0) {
        restart(machine, machine->watchdog_reason);
        start(machine, RESET_WATCHDOG);
    }
}

void machine_run(struct machine *machine, uint64_t until) {
    while (machine->now < until) {
        let_happen(machine, machine->now);
        uint64_t limit = machine->schedule->next < until ? machine->schedule->next : until;
        if (machine->boot_rom.state == BOOT_DONE) {
            run_processor(machine, limit);
        } else {
            machine->now = limit;
        }
    }
    let_happen(machine, until);
}

// ---- For commands ----

bool machine_peek(const struct machine *machine, uint32_t address, uint8_t *byte) {
    if (address - SRAM_BASE < SRAM_SIZE) {
        *byte = machine->sram[address - SRAM_BASE];
        return true;
    }
    const struct memory *memory = bus_find_memory(machine, address);
    if (memory != NULL) {
        *byte = memory->bytes[address - memory->base];
    } else {
        *byte = boot_rom_byte(&machine->boot_rom, address);
    }
    return memory != NULL || address < ROM_SIZE;
}

void machine_poke(struct machine *machine, uint32_t address, uint8_t byte) {
    if (address - SRAM_BASE < SRAM_SIZE) {
        machine->sram[address - SRAM_BASE] = byte;
    } else {
        bus_write(machine, address, 1, byte);
    }
}

uint32_t machine_stack_used(const struct machine *machine) {
    return machine->cpu.stack_top - machine->cpu.lowest_stack;
}

uint64_t machine_longest_step(const struct machine *machine) { return machine->step_mark.longest; }

uint64_t machine_slept(const struct machine *machine) { return machine->slept; }
