// Connects a board to a pseudo-terminal, in step with the wall clock.
#ifndef TERMINAL_H
#define TERMINAL_H

#include "board.h"
#include "options.h"

// Serves until SIGTERM or SIGINT. Returns false and sets errno if no terminal is available.
bool terminal_serve(struct board *board, const struct options *options);

#endif
