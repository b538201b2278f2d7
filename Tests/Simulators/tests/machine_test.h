// Common code for the tests of the simulated RP2040: a machine with a flash and no other external
// circuit.
#ifndef MACHINE_TEST_H
#define MACHINE_TEST_H

#include "../rp2040/machine.h"

#define TEST_FLASH_SIZE 0x10000u
#define TEST_PROGRAMS_SIZE 0x10000u

struct test_board {
    struct schedule schedule;
    struct trace trace;
    struct machine machine;
    uint8_t flash[TEST_FLASH_SIZE];
    unsigned reads_of_flash;
    uint64_t bootsel_at; // the time of the last entry into BOOTSEL; 0 if BOOTSEL was never entered
    unsigned resets;
    uint8_t programs[TEST_PROGRAMS_SIZE];
    size_t programs_size;
};

// Initializes a machine without power, with an erased flash. Returns false, and prints the reason
// on standard error, if the file of programs cannot be read. The path is NULL if there is no such
// file.
bool test_board_init(struct test_board *board, const char *programs);

// Stores the CRC of the first 256 bytes of the flash, so that these bytes are a valid second stage
// of booting.
void test_board_sign(struct test_board *board);

struct tests {
    unsigned run;
    unsigned failed;
};

// Records the result of a test. Prints a failed test and its subject on standard error.
void tests_count(struct tests *tests, const char *name, bool has_passed, const char *what);

#define EXPECT(tests, name, condition) tests_count(tests, name, condition, #condition)

void test_arrival(struct tests *tests);
void test_boot(struct tests *tests);
void test_uf2(struct tests *tests);

#endif
