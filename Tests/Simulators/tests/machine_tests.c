// Tests the simulated RP2040, without a board, against its datasheet. Runs each program of
// programs.c in a separate machine and a separate process, and then tests the behavior that a
// program cannot observe.
//
//     machine_tests PROGRAMS.bin
#include "../rp2040/machine.h"
#include "apart_test.h"
#include "machine_test.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOOT2_ADDRESS 0x20041F00u
#define BOOT2_END (BOOT2_ADDRESS + 4)
#define TIME_LIMIT (2000u * CYCLES_PER_MS)

// ---- Programs ----

static uint32_t word(const struct machine *machine, uint32_t address) {
    uint32_t value = 0;
    for (uint32_t byte = 0; byte < sizeof value; byte++) {
        value |= (uint32_t)machine->sram[address - SRAM_BASE + byte] << 8 * byte;
    }
    return value;
}

static const char *text(const struct machine *machine, uint32_t address) {
    return (const char *)&machine->sram[address - SRAM_BASE];
}

// The second stage of booting, which calls the program and enters a loop after the program has
// returned.
static void make_boot2(struct test_board *board, uint32_t program) {
    const uint8_t call[] = {0x01, 0x48,  // ldr r0, [pc, #4]
                            0x80, 0x47,  // blx r0
                            0xFE, 0xE7,  // b .
                            0x00, 0xBF}; // nop
    memcpy(board->flash, call, sizeof call);
    for (unsigned byte = 0; byte < sizeof program; byte++) {
        board->flash[sizeof call + byte] = (uint8_t)(program >> 8 * byte);
    }
    test_board_sign(board);
}

static bool has_ended(const struct machine *machine) {
    return machine->boot_rom.state == BOOT_DONE && machine->cpu.r[M0_PC] == BOOT2_END;
}

// A program that resets the machine is called again after the reset.
static void run(struct test_board *board, const struct program *program) {
    struct machine *machine = &board->machine;
    make_boot2(board, program->run);
    machine_set_power(machine, true);
    memcpy(machine->sram, board->programs, board->programs_size);
    while (!has_ended(machine)) {
        if (machine->now > TIME_LIMIT) {
            machine_crash(machine, "the program does not end");
        }
        machine_run(machine, machine->now + CYCLES_PER_US);
    }
}

static void run_and_check(struct test_board *board, const struct program *program) {
    const struct machine *machine = &board->machine;
    run(board, program);
    uint32_t line = word(machine, PROGRAM_BASE + offsetof(struct programs, failed_line));
    if (line != 0) {
        fprintf(stderr, "line %u\n", line);
        exit(EXIT_FAILURE);
    }
    uint64_t cycles = machine_longest_step(machine) / machine->run_period;
    if (cycles != program->cycles) {
        fprintf(stderr, "%u cycles, expected %u\n", (unsigned)cycles, program->cycles);
        exit(EXIT_FAILURE);
    }
    exit(EXIT_SUCCESS);
}

// A program and the machine in which it runs.
struct trial {
    struct test_board *board;
    const struct program *program;
};

static void run_trial(void *owner) {
    const struct trial *trial = owner;
    run_and_check(trial->board, trial->program);
}

static bool is_as_expected(const char *error, int status, const char *message) {
    static const char prefix[] = "error: ";
    if (error == NULL) {
        return status == EXIT_SUCCESS;
    }
    return status == EXIT_CRASH && strncmp(message, prefix, strlen(prefix)) == 0 &&
           strncmp(message + strlen(prefix), error, strlen(error)) == 0;
}

static void test_program(struct test_board *board, struct tests *tests, uint32_t address) {
    struct machine *machine = &board->machine;
    const struct program program = {.name = word(machine, address),
                                    .run = word(machine, address + 4),
                                    .cycles = word(machine, address + 8),
                                    .error = word(machine, address + 12)};
    char message[MESSAGE_MAX];
    struct trial trial = {board, &program};
    int status = run_apart(run_trial, &trial, message);
    const char *error = program.error != 0 ? text(machine, program.error) : NULL;
    tests_count(tests, text(machine, program.name), is_as_expected(error, status, message),
                message);
}

static void test_programs(struct test_board *board, struct tests *tests) {
    struct machine *machine = &board->machine;
    memcpy(machine->sram, board->programs, board->programs_size);
    uint32_t end = word(machine, PROGRAM_BASE + offsetof(struct programs, end));
    uint32_t address = word(machine, PROGRAM_BASE + offsetof(struct programs, first));
    for (; address < end; address += sizeof(struct program)) {
        test_program(board, tests, address);
    }
}

int main(int count, char **arguments) {
    static struct test_board board;
    struct tests tests = {0};
    if (count != 2 || !test_board_init(&board, arguments[1])) {
        fputs("usage: machine_tests PROGRAMS.bin\n", stderr);
        return EXIT_FAILURE;
    }
    test_programs(&board, &tests);
    test_arrival(&tests);
    test_boot(&tests);
    test_uf2(&tests);
    printf("%u tests of the simulated RP2040, %u failures\n", tests.run, tests.failed);
    return tests.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
