#include "options.h"

#include <stddef.h>

const char board_usage[] = "usage: sketch-board [options] sketch.so\n";

const char board_options_usage[] = "";

const struct option board_long_options[] = {{NULL, 0, NULL, 0}};

bool board_apply_option(struct board_options *own, int option, const char *argument) {
    (void)own;
    (void)option;
    (void)argument;
    return false;
}

bool board_has_program(const struct board_options *own, bool has_image) {
    (void)own;
    return has_image;
}
