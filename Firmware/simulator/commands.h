// The commands of README.md: what happens to the board from outside.
#ifndef COMMANDS_H
#define COMMANDS_H

#include "board.h"

// Carries out a line, which it takes apart. Returns NULL, or what was expected instead of it.
const char *command_obey(struct board *board, char *line);

#endif
