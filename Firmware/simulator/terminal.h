// The board behind a pseudo-terminal, in step with the wall clock.
#ifndef TERMINAL_H
#define TERMINAL_H

#include "board.h"

struct terminal_settings {
    bool resets_on_open;
    const char *control_path; // or NULL
    int32_t fast_ppm;
};

// Serves until SIGTERM or SIGINT. Returns false, with errno, if there is no terminal to be had.
bool terminal_serve(struct board *board, const struct terminal_settings *settings);

#endif
