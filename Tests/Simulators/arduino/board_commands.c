// The commands that only this kind of board has. They apply to the sketch.
#include "commands.h"

#include "words.h"

#define LOOP_MAX_US 10000000u

// Causes the sketch to hang. Interrupts stay enabled, because only the controller, which is not
// simulated, could disable them.
static bool run_hang(struct board *board, char *const *words) {
    static const char *const choices[] = {"irq-on"};
    size_t choice = 0;
    board->own.sketch.hangs = word_choice(words[0], choices, 1, &choice);
    return board->own.sketch.hangs;
}

static bool run_loop(struct board *board, char *const *words) {
    uint64_t us = 0;
    if (!word_number(words[0], LOOP_MAX_US, &us)) {
        return false;
    }
    board->own.sketch.loop_us = (uint32_t)us;
    return true;
}

static bool run_eeprom_damage(struct board *board, char *const *words) {
    return words_flip_bits(words, board->own.cells, API_CELLS);
}

// Damages a record. NVS erases a record with a wrong checksum.
static bool run_record_damage(struct board *board, char *const *words) {
    struct board_record *record = board_find_record(board, words[0]);
    if (record == NULL) {
        return false;
    }
    record->size = 0;
    return true;
}

const struct command board_commands[] = {
    {{"hang"}, 1, run_hang, "hang irq-on"},
    {{"loop"}, 1, run_loop, "loop MICROSECONDS"},
    {{"eeprom", "damage"}, 2, run_eeprom_damage, "eeprom damage ADDRESS BITS"},
    {{"record", "damage"}, 1, run_record_damage, "record damage KEY"},
    {{NULL}, 0, NULL, NULL},
};
