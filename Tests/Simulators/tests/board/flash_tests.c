// Tests of the flash chip: its commands through the SSI, and its contents as memory.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SSI_CTRLR0 0x18000000u
#define SSI_SSIENR 0x18000008u
#define SSI_BAUDR 0x18000014u
#define SSI_SR 0x18000028u
#define SSI_DR0 0x18000060u
#define SSI_SPI_CTRLR0 0x180000F4u
#define SS_CTRL 0x4001800Cu
#define CS_LOW 0x200u
#define CS_HIGH 0x300u
#define XIP 0x10000000u
#define XIP_BY_03H 0x03000218u

#define RFNE (1u << 3)

#define SECTOR 0x1FE000u
#define ERASE_MS 45u
#define PROGRAM_US 700u

static struct bench *bench;

static void begin(void) {
    bench = bench_begin();
    put(bench, SSI_SSIENR, 0);
    put(bench, SSI_BAUDR, 4);
    put(bench, SSI_CTRLR0, 7u << 16); // frames of 8 bits
    put(bench, SSI_SSIENR, 1);
}

static uint8_t exchange(uint8_t byte) {
    put(bench, SSI_DR0, byte);
    while ((get(bench, SSI_SR) & RFNE) == 0) {
        bench_run(bench, 8);
    }
    return (uint8_t)get(bench, SSI_DR0);
}

static void select_chip(bool on) { put(bench, SS_CTRL, on ? CS_LOW : CS_HIGH); }

static void send(const uint8_t *bytes, size_t count) {
    select_chip(true);
    for (size_t index = 0; index < count; index++) {
        exchange(bytes[index]);
    }
}

static void command(const uint8_t *bytes, size_t count) {
    send(bytes, count);
    select_chip(false);
}

#define COMMAND(...) command((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static uint8_t status(void) {
    send((const uint8_t[]){0x05}, 1);
    uint8_t value = exchange(0);
    select_chip(false);
    return value;
}

static uint8_t cell(uint32_t address) { return bench->board.own.flash.cells[address]; }

static void program(uint8_t first, uint8_t second) {
    COMMAND(0x06);
    COMMAND(0x02, 0x1F, 0xE0, 0xFF, first, second);
}

static void test_commands(struct tests *tests) {
    begin();
    send((const uint8_t[]){0x9F}, 1);
    bool has_id = exchange(0) == 0xEF && exchange(0) == 0x40 && exchange(0) == 0x15;
    select_chip(false);
    EXPECT(tests, "9Fh returns the JEDEC id", has_id);
    uint64_t begun = bench->board.own.machine.now;
    EXPECT(tests, "05h reports that the flash is idle", status() == 0);
    uint64_t took = bench->board.own.machine.now - begun;
    EXPECT(tests, "a byte takes 8 bits of 4 cycles each", took >= 64 && took < 96);
    COMMAND(0x06);
    EXPECT(tests, "06h sets WEL", status() == 2);
}

static void test_programming(struct tests *tests) {
    begin();
    program(0x0F, 0xF0);
    EXPECT(tests, "a program command sets BUSY and clears WEL", status() == 1);
    bench_run(bench, PROGRAM_US * CYCLES_PER_US);
    EXPECT(tests, "... for 0.7 ms", status() == 0);
    EXPECT(tests, "programming wraps within its page",
           cell(SECTOR + 0xFF) == 0x0F && cell(SECTOR) == 0xF0 && cell(SECTOR + 0x100) == 0xFF);
    program(0xF3, 0xFF);
    bench_run(bench, PROGRAM_US * CYCLES_PER_US);
    EXPECT(tests, "programming only clears bits", cell(SECTOR + 0xFF) == 0x03);
    EXPECT(tests, "programming is traced", strstr(bench_text(bench), " 2089215 0FF0\n") != NULL);
    COMMAND(0x06);
    COMMAND(0x20, 0x1F, 0xE1, 0x23);
    bench_run(bench, (ERASE_MS - 1) * CYCLES_PER_MS);
    EXPECT(tests, "erasing a sector takes 45 ms", status() == 1 && cell(SECTOR) == 0xF0);
    bench_run(bench, CYCLES_PER_MS);
    EXPECT(tests, "an erased sector contains FFh", status() == 0 && cell(SECTOR) == 0xFF);
}

// Returns the contents of a sector of zeros whose erasure has been interrupted at a given time.
static bool is_torn(void) {
    unsigned cleared = 0;
    unsigned set = 0;
    for (uint32_t byte = 0; byte < FLASH_SECTOR; byte++) {
        cleared += cell(SECTOR + byte) != 0xFF;
        set += cell(SECTOR + byte) != 0;
    }
    return cleared != 0 && set != 0;
}

static void test_loss_of_power(struct tests *tests) {
    begin();
    memset(&bench->board.own.flash.cells[SECTOR], 0, FLASH_SECTOR);
    COMMAND(0x06);
    COMMAND(0x20, 0x1F, 0xE0, 0x00);
    bench_run(bench, CYCLES_PER_MS);
    board_reset(&bench->board);
    EXPECT(tests, "a reset does not disturb an erasure",
           flash_chip_is_busy(&bench->board.own.flash) &&
               flash_chip_read(&bench->board.own.flash, 0) == 0xFF);
    board_set_power(&bench->board, false);
    EXPECT(tests, "a loss of power leaves random contents", is_torn());
    EXPECT(tests, "after a loss of power the flash is idle",
           !flash_chip_is_busy(&bench->board.own.flash));
}

static void test_memory(struct tests *tests) {
    bench = bench_begin();
    bench->board.own.flash.cells[0x300] = 0x42;
    put(bench, SSI_SSIENR, 0);
    put(bench, SSI_BAUDR, 4);
    put(bench, SSI_SPI_CTRLR0, XIP_BY_03H);
    put(bench, SSI_SSIENR, 1);
    EXPECT(tests, "the flash is memory after its set-up by the second stage",
           (get(bench, XIP + 0x300) & 0xFF) == 0x42);
}

static void test_file(struct tests *tests) {
    char folder[] = "/tmp/flash-tests-XXXXXX";
    char path[sizeof folder + 8];
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(EXIT_FAILURE);
    }
    snprintf(path, sizeof path, "%s/flash", folder);
    struct options options = {.device_id = MODEL_ID_DRV2605L, .actuators = 1, .has_driver = true};
    options.own.flash_path = path;
    bench = bench_begin_with(&options);
    bench->board.own.flash.cells[SECTOR] = 0x55;
    flash_chip_save(&bench->board.own.flash, SECTOR, 1);
    bench = bench_begin_with(&options);
    EXPECT(tests, "a file stores the contents of the flash",
           cell(SECTOR) == 0x55 && cell(SECTOR + 1) == 0xFF);
    unlink(path);
    rmdir(folder);
}

// ---- Accesses that the simulator refuses ----

static void erase_unprepared(void) {
    begin();
    COMMAND(0x20, 0x1F, 0xE0, 0x00);
}

static void read_busy(void) {
    begin();
    program(1, 2);
    COMMAND(0x03, 0x00, 0x00, 0x00, 0x00);
}

static void unknown(void) {
    begin();
    COMMAND(0xC7);
}

static void not_set_up(void) {
    begin();
    get(bench, XIP);
}

static void unselected(void) {
    begin();
    exchange(0x05);
}

static void read_empty(void) {
    begin();
    get(bench, SSI_DR0);
}

void test_flash(struct tests *tests) {
    test_commands(tests);
    test_programming(tests);
    test_loss_of_power(tests);
    test_memory(tests);
    test_file(tests);
    expect_refused(tests, "erasing requires a write enable command", erase_unprepared,
                   "flash: command 20h without write enable");
    expect_refused(tests, "a busy flash accepts only 05h", read_busy,
                   "flash: command 03h while it is busy");
    expect_refused(tests, "an erasure of the whole chip is not modeled", unknown,
                   "flash: command C7h is not modeled");
    expect_refused(tests, "the flash cannot be read as memory while the SSI sends bytes",
                   not_set_up, "the flash is read as memory, but the SSI is not set up for it");
    expect_refused(tests, "bytes require CS", unselected, "SSI: data without CS");
    expect_refused(tests, "an empty FIFO of the SSI must not be read", read_empty,
                   "SSI: a read of its empty receive FIFO");
}
