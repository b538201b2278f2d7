// Runs a board in real time, for a host that is not simulated.
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
    uint64_t started_ns; // the time of the wall clock at cycle 0
};

// Catches SIGTERM and SIGINT. Returns false and sets errno if the pipe for commands cannot be
// opened.
bool pace_open(struct pace *pace, struct board *board, const struct options *options);
// Starts the board's time.
void pace_begin(struct pace *pace);
bool pace_is_told_to_end(void);

// Waits until an event of the board is due, a signal or a command is received, or the host's
// descriptor (-1 for none) is ready.
void pace_wait(const struct pace *pace, struct pollfd host);
// Runs the board up to the current time, and then executes the received commands.
void pace_run(struct pace *pace);
// Returns the cycle that corresponds to the current time. The board may already have passed this
// cycle.
uint64_t pace_cycle(const struct pace *pace);

#endif
