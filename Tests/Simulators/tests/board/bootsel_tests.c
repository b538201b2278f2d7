// Tests of the drive of BOOTSEL, which is a folder.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 20u

static struct bench *bench;
static char folder[] = "/tmp/bootsel-tests-XXXXXX";
static char path[64];

static const char *in_drive(const char *name) {
    snprintf(path, sizeof path, "%s/RPI-RP2/%s", folder, name);
    return path;
}

static bool exists(const char *name) { return access(in_drive(name), F_OK) == 0; }

static void set_word(uint8_t *block, size_t at, uint32_t value) {
    for (unsigned byte = 0; byte < 4; byte++) {
        block[at + byte] = (uint8_t)(value >> 8 * byte);
    }
}

// Writes some of the blocks of a file.
static void copy(const char *name, const char *mode, uint32_t first, uint32_t end) {
    FILE *file = fopen(in_drive(name), mode);
    for (uint32_t number = first; number < end && file != NULL; number++) {
        uint8_t block[UF2_BLOCK_SIZE] = {0};
        const uint32_t head[] = {0x0A324655, 0x9E5D5157, 0x2000, 0x10000000 + 256 * number,
                                 256,        number,     BLOCKS, 0xE48BFF56};
        for (size_t word = 0; word < 8; word++) {
            set_word(block, 4 * word, head[word]);
        }
        memset(&block[32], (int)(number + 1), 256);
        set_word(block, 508, 0x0AB16F30);
        fwrite(block, 1, sizeof block, file);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void begin(void) {
    struct options options = {.device_id = MODEL_ID_DRV2605L, .actuators = 1, .has_driver = true};
    options.own.bootsel_path = folder;
    bench = bench_begin_with(&options);
}

static unsigned resets(void) {
    unsigned found = 0;
    for (const char *at = strstr(bench_text(bench), "reset "); at != NULL;
         at = strstr(at + 1, "reset ")) {
        found++;
    }
    return found;
}

void test_bootsel(struct tests *tests) {
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(EXIT_FAILURE);
    }
    begin();
    EXPECT(tests, "in BOOTSEL the drive identifies the board", exists("INFO_UF2.TXT"));
    copy("a.uf2", "wb", 0, BLOCKS - 1);
    bench_run(bench, 3000 * CYCLES_PER_MS);
    EXPECT(tests, "the drive processes the blocks of a file as they arrive",
           bench->board.own.flash.cells[256] == 2 && exists("a.uf2") && resets() == 1);
    copy("a.uf2", "ab", BLOCKS - 1, BLOCKS);
    bench_run(bench, 1);
    bench_run(bench, 900 * CYCLES_PER_MS);
    EXPECT(tests, "the drive remains for a second after the last block",
           exists("a.uf2") && resets() == 1);
    bench->board.own.machine.has_bootsel_button = false;
    bench_run(bench, 200 * CYCLES_PER_MS);
    EXPECT(tests, "then the drive disappears and the board restarts",
           !exists("") && resets() == 2 &&
               bench->board.own.flash.cells[256 * (BLOCKS - 1)] == (uint8_t)BLOCKS);
    begin();
    board_reset(&bench->board);
    EXPECT(tests, "a reset removes the drive", !exists(""));
    bench_run(bench, 10 * CYCLES_PER_MS);
    EXPECT(tests, "the button starts BOOTSEL again", exists("INFO_UF2.TXT"));
    board_set_power(&bench->board, false);
    EXPECT(tests, "a loss of power removes the drive", !exists(""));
    rmdir(folder);
}
