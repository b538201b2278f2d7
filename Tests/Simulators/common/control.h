// Commands that come through a named pipe while the board keeps to the wall clock.
#ifndef CONTROL_H
#define CONTROL_H

#include "board.h"

#define CONTROL_LINE_MAX 200u

struct control {
    struct board *board;
    int descriptor; // -1: there is none
    char line[CONTROL_LINE_MAX];
    size_t length;
};

// Opens the pipe at `path`, which exists; NULL: there is none. Returns false, with errno, if it can
// not be opened.
bool control_open(struct control *control, struct board *board, const char *path);

// Carries out what has come. What is no command ends the program, as in lock-step.
void control_poll(struct control *control);

#endif
