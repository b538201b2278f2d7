// Commands on standard input, answers on standard output: README.md has the protocol.
#ifndef LOCK_STEP_H
#define LOCK_STEP_H

#include "board.h"

// Serves until the end of input or `quit`. Returns false after a line that cannot be understood.
bool lock_step_serve(struct board *board);

#endif
