// The command line.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "board_options.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct options {
    const char *image_path;   // or NULL, if the board can do without
    const char *trace_path;   // or NULL
    const char *control_path; // or NULL
    uint64_t seed;            // of memory without a reset value
    uint8_t device_id;        // of the chips
    uint8_t actuators;        // 1, or several behind a TCA9548A
    bool has_driver;          // the chips are fitted
    bool is_lock_step;
    int32_t fast_ppm; // of the controller's clock
    struct board_options own;
};

// Returns false, and prints the usage on standard error, if the arguments are invalid.
bool options_parse(struct options *options, int count, char **arguments);

// ---- Of each kind of board ----

// The first lines of the usage, and those for the options of this kind of board.
extern const char board_usage[];
extern const char board_options_usage[];

// The options of this kind of board. Their values begin with BOARD_OPTION; the last entry has no
// name.
#define BOARD_OPTION 100
extern const struct option board_long_options[];

bool board_apply_option(struct board_options *own, int option, const char *argument);
// True if the simulator has a program to run, with an image or without.
bool board_has_program(const struct board_options *own, bool has_image);

#endif
