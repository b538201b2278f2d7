// Commands from a named pipe while the board runs in step with the wall clock.
#ifndef CONTROL_H
#define CONTROL_H

#include "board.h"

#define CONTROL_LINE_MAX 200u

struct control {
    struct board *board;
    int descriptor; // the descriptor of the pipe; -1 if there is no pipe
    char line[CONTROL_LINE_MAX];
    size_t length;
};

// Opens the existing pipe at `path`, or does nothing if `path` is NULL. Returns false and sets
// errno if the pipe cannot be opened.
bool control_open(struct control *control, struct board *board, const char *path);

// Executes the commands that have been received. An invalid command ends the program, as in
// lock-step.
void control_poll(struct control *control);

#endif
