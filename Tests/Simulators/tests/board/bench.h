// A simulated Pico whose processor is in BOOTSEL, while a test reads and writes registers in its
// place. The clocks run, and all blocks are released from reset.
#ifndef BENCH_H
#define BENCH_H

#include "../../common/board.h"
#include "../../rp2040/bus.h"
#include "../apart_test.h"
#include "../machine_test.h"

struct bench {
    struct board board;
    struct options options;
    FILE *trace;
    char *lines; // the output of the board so far
    size_t lines_size;
};

// Creates a board, which replaces the previous one.
struct bench *bench_begin(void);
// Creates a board with options: several chips, a file for the flash, or a folder for BOOTSEL.
struct bench *bench_begin_with(const struct options *options);

uint32_t get(struct bench *bench, uint32_t address);
void put(struct bench *bench, uint32_t address, uint32_t value);
void bench_run(struct bench *bench, uint64_t cycles);

// Returns the text that the board has printed.
const char *bench_text(struct bench *bench);

// Checks that the function ends the program with status 70 and a message that begins with the given
// text.
void expect_refused(struct tests *tests, const char *name, void (*run)(void), const char *message);

void test_i2c(struct tests *tests);
void test_usb_controller(struct tests *tests);
void test_usb_host(struct tests *tests);
void test_usbip(struct tests *tests);
void test_descriptors(struct tests *tests);
void test_flash(struct tests *tests);
void test_bootsel(struct tests *tests);

#endif
