// The commands of README.md, which simulate the environment of the board.
#ifndef COMMANDS_H
#define COMMANDS_H

#include "board.h"

// Executes a command. Returns false if an argument is invalid.
typedef bool command_run(struct board *board, char *const *words);

struct command {
    const char *names[2]; // one or two words
    unsigned words;       // the number of arguments
    command_run *run;
    const char *form;
};

// The commands that only this kind of board has. The member `run` is NULL in the last entry.
extern const struct command board_commands[];

// Executes a line. Parsing modifies the line. Returns NULL if the line is valid, and otherwise a
// text that describes the expected command.
const char *command_obey(struct board *board, char *line);

#endif
