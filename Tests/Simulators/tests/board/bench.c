#define _POSIX_C_SOURCE 200809L // open_memstream
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define RESETS_CLEAR 0x4000F000u
#define CLK_REF_CTRL 0x40008030u
#define CLK_SYS_CTRL 0x4000803Cu
#define CLK_USB_CTRL 0x40008054u
#define XOSC_CTRL 0x40024000u
#define XOSC_STARTUP 0x4002400Cu
#define PLL_USB_FBDIV 0x4002C008u
#define PLL_USB_PRIM 0x4002C00Cu
#define PLL_USB_PWR_CLEAR 0x4002F004u

static struct bench bench;

uint32_t get(struct bench *owner, uint32_t address) {
    return bus_read(&owner->board.own.machine, address, 4);
}

void put(struct bench *owner, uint32_t address, uint32_t value) {
    bus_write(&owner->board.own.machine, address, 4, value);
}

void bench_run(struct bench *owner, uint64_t cycles) {
    board_run(&owner->board, owner->board.own.machine.now + cycles);
}

const char *bench_text(struct bench *owner) {
    fflush(owner->trace);
    return owner->lines;
}

// Switches to 48 MHz from the crystal, and releases every block from reset.
static void start_blocks(void) {
    put(&bench, XOSC_STARTUP, 47);
    put(&bench, XOSC_CTRL, 0xFABAA0);
    bench_run(&bench, 2 * CYCLES_PER_MS);
    put(&bench, CLK_REF_CTRL, 2);
    put(&bench, RESETS_CLEAR, RESETS_PLL_USB);
    put(&bench, PLL_USB_FBDIV, 100);
    put(&bench, PLL_USB_PWR_CLEAR, 0x21);
    bench_run(&bench, CYCLES_PER_MS);
    put(&bench, PLL_USB_PRIM, 5u << 16 | 5u << 12);
    put(&bench, PLL_USB_PWR_CLEAR, 0x08);
    put(&bench, CLK_SYS_CTRL, 0x20);
    put(&bench, CLK_SYS_CTRL, 0x21);
    put(&bench, CLK_USB_CTRL, 0x800);
    put(&bench, RESETS_CLEAR,
        RESETS_I2C0 | RESETS_I2C1 | RESETS_IO_BANK0 | RESETS_PADS_BANK0 | RESETS_USBCTRL);
}

struct bench *bench_begin_with(const struct options *options) {
    if (bench.trace != NULL) {
        fclose(bench.trace);
        free(bench.lines);
    }
    memset(&bench, 0, sizeof bench);
    bench.options = *options;
    bench.trace = open_memstream(&bench.lines, &bench.lines_size);
    if (bench.trace == NULL || !board_init(&bench.board, &bench.options, bench.trace)) {
        perror("a board");
        exit(EXIT_FAILURE);
    }
    bench.board.own.machine.has_bootsel_button = true;
    board_set_power(&bench.board, true);
    bench_run(&bench, 10 * CYCLES_PER_MS);
    start_blocks();
    return &bench;
}

struct bench *bench_begin(void) {
    return bench_begin_with(&(struct options){
        .device_id = MODEL_ID_DRV2605L, .actuators = 1, .has_driver = true, .is_lock_step = true});
}

static void call(void *owner) {
    void (*const *run)(void) = owner;
    (*run)();
}

void expect_refused(struct tests *tests, const char *name, void (*run)(void), const char *message) {
    static const char prefix[] = "error: ";
    char said[MESSAGE_MAX];
    int status = run_apart(call, &run, said);
    bool is_refused = status == EXIT_CRASH && strncmp(said, prefix, strlen(prefix)) == 0 &&
                      strncmp(&said[strlen(prefix)], message, strlen(message)) == 0;
    tests_count(tests, name, is_refused, said);
}
