// The commands of README.md: what happens to the board from outside.
#ifndef COMMANDS_H
#define COMMANDS_H

#include "board.h"

// Returns false if its words are not right.
typedef bool command_run(struct board *board, char *const *words);

struct command {
    const char *names[2]; // one or two words
    unsigned words;       // that follow
    command_run *run;
    const char *form;
};

// Those that only this kind of board has; the last has no `run`.
extern const struct command board_commands[];

// Carries out a line, which it takes apart. Returns NULL, or what was expected instead of it.
const char *command_obey(struct board *board, char *line);

#endif
