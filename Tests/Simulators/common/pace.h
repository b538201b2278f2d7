// A board in step with the wall clock, for a host that is not simulated.
#ifndef PACE_H
#define PACE_H

#include "board.h"
#include "control.h"
#include "options.h"

#include <poll.h>

struct pace {
    struct board *board;
    struct control control;
    double cycles_per_ns;
    uint64_t started_ns; // the wall clock at cycle 0
};

// Catches SIGTERM and SIGINT. Returns false and sets errno if the pipe for commands cannot be
// opened.
bool pace_open(struct pace *pace, struct board *board, const struct options *options);
// The board's time begins now.
void pace_begin(struct pace *pace);
bool pace_is_told_to_end(void);

// Returns when the board has something to do, a signal or a command comes, or the host's descriptor
// (-1: none) is ready.
void pace_wait(const struct pace *pace, struct pollfd host);
// Runs the board to the present time, then executes the received commands.
void pace_run(struct pace *pace);
// The cycle of the present time, which the board may have passed already.
uint64_t pace_cycle(const struct pace *pace);

#endif
