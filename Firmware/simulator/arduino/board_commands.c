// The commands about what only such a board has: its sketch.
#include "commands.h"

#include "words.h"

#define LOOP_MAX_US 10000000u

static bool run_hang(struct board *board, char *const *words) {
    (void)words;
    board->sketch.hangs = true;
    return true;
}

static bool run_loop(struct board *board, char *const *words) {
    uint64_t us = 0;
    if (!word_number(words[0], LOOP_MAX_US, &us)) {
        return false;
    }
    board->sketch.loop_us = (uint32_t)us;
    return true;
}

const struct command board_commands[] = {
    {{"hang"}, 0, run_hang, "hang"},
    {{"loop"}, 1, run_loop, "loop MICROSECONDS"},
    {{NULL}, 0, NULL, NULL},
};
