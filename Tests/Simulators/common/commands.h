// The commands of README.md, which simulate the environment of the board.
#ifndef COMMANDS_H
#define COMMANDS_H

#include "board.h"

// Returns false if its words are invalid.
typedef bool command_run(struct board *board, char *const *words);

struct command {
    const char *names[2]; // one or two words
    unsigned words;       // that follow
    command_run *run;
    const char *form;
};

// The commands that only this kind of board has; the last entry has no `run`.
extern const struct command board_commands[];

// Executes a line, which it modifies while parsing. Returns NULL, or a text that describes the
// expected command.
const char *command_obey(struct board *board, char *line);

#endif
