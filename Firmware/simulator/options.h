// The command line.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "board.h"

struct options {
    struct board_settings board;
    const char *image_path;       // or NULL, with a boot loader
    const char *boot_loader_path; // or NULL
    const char *trace_path;       // or NULL
    const char *control_path;     // or NULL
    bool is_lock_step;
    bool resets_on_open;
    int32_t fast_ppm; // of the MCU's clock
};

// Returns false, and says how it is used on standard error, if the arguments are not right.
bool options_parse(struct options *options, int count, char **arguments);

#endif
