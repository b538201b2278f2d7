// Reads commands from standard input and writes answers to standard output. README.md describes the
// protocol.
#ifndef LOCK_STEP_H
#define LOCK_STEP_H

#include "board.h"

// Executes commands until the end of input or `quit`. Returns false after an invalid line.
bool lock_step_serve(struct board *board);

#endif
