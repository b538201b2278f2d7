#include "machine_test.h"

#include <stdio.h>
#include <string.h>

#define BOOT2_SIZE 256u
#define CRC_SIZE 4u
#define CRC_TOP_BIT (1u << 31)

static void read_flash(void *owner, uint32_t offset, uint8_t *bytes, size_t count) {
    struct test_board *board = owner;
    board->reads_of_flash++;
    memcpy(bytes, &board->flash[offset], count);
}

static void enter_bootsel(void *owner, uint64_t when) {
    struct test_board *board = owner;
    board->bootsel_at = when;
}

static void has_reset(void *owner, enum reset_cause cause) {
    struct test_board *board = owner;
    (void)cause;
    board->resets++;
}

bool test_board_init(struct test_board *board, const char *programs) {
    memset(board, 0, sizeof *board);
    memset(board->flash, 0xFF, sizeof board->flash);
    const struct machine_board seam = {.read_flash = read_flash,
                                       .enter_bootsel = enter_bootsel,
                                       .has_reset = has_reset,
                                       .owner = board};
    schedule_init(&board->schedule);
    machine_init(&board->machine, &board->schedule, &board->trace, &seam, 1);
    if (programs == NULL) {
        return true;
    }
    FILE *file = fopen(programs, "rb");
    if (file == NULL) {
        perror(programs);
        return false;
    }
    board->programs_size = fread(board->programs, 1, sizeof board->programs, file);
    fclose(file);
    return true;
}

// Calculates the CRC bit by bit, beginning with the first bit, as the remainder of a polynomial
// division (datasheet 2.8.1.3.1).
void test_board_sign(struct test_board *board) {
    uint32_t remainder = UINT32_MAX;
    for (unsigned bit = 0; bit < 8 * (BOOT2_SIZE - CRC_SIZE); bit++) {
        bool is_set = board->flash[bit / 8] >> (7 - bit % 8) & 1;
        bool overflows = ((remainder & CRC_TOP_BIT) != 0) != is_set;
        remainder = remainder << 1 ^ (overflows ? 0x04C11DB7u : 0);
    }
    for (unsigned byte = 0; byte < CRC_SIZE; byte++) {
        board->flash[BOOT2_SIZE - CRC_SIZE + byte] = (uint8_t)(remainder >> 8 * byte);
    }
}

void tests_count(struct tests *tests, const char *name, bool has_passed, const char *what) {
    tests->run++;
    if (!has_passed) {
        tests->failed++;
        fprintf(stderr, "failed: %s: %s\n", name, what);
    }
}
