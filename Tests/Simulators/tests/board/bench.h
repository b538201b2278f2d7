// A simulated Pico whose processor rests in BOOTSEL, while a test reads and writes registers in its
// place: clocks run, all blocks are out of reset.
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
    char *lines; // the output so far
    size_t lines_size;
};

// Creates a board, in place of the previous one.
struct bench *bench_begin(void);
// Creates a board with options: several chips, a file for the flash, a folder for BOOTSEL.
struct bench *bench_begin_with(const struct options *options);

uint32_t get(struct bench *bench, uint32_t address);
void put(struct bench *bench, uint32_t address, uint32_t value);
void bench_run(struct bench *bench, uint64_t cycles);

// The text that has been printed.
const char *bench_text(struct bench *bench);

// The function must end the program with status 70 and this message, or its beginning.
void expect_refused(struct tests *tests, const char *name, void (*run)(void), const char *message);

void test_i2c(struct tests *tests);
void test_usb_controller(struct tests *tests);
void test_usb_host(struct tests *tests);
void test_usbip(struct tests *tests);
void test_descriptors(struct tests *tests);
void test_flash(struct tests *tests);
void test_bootsel(struct tests *tests);

#endif
