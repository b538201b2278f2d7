// The command line.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "board_options.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "accelerometer_model.h"

struct options {
    const char *image_path;         // NULL if the board needs no image
    const char *trace_path;         // NULL if there is no trace
    const char *vcd_path;           // NULL if the wires of the bus are not recorded
    const char *control_path;       // NULL if there is no pipe for commands
    uint64_t seed;                  // the seed of memory without a reset value
    uint8_t device_id;              // of the chips
    uint8_t actuators;              // the number of chips; several chips are behind a TCA9548A
    bool has_driver;                // true if the chips are fitted
    enum accelerometer_kind sensor; // the accelerometer on the bus
    bool is_lock_step;
    int32_t fast_ppm; // the deviation of the controller's clock; positive if the clock is fast
    struct board_options own;
};

// Returns false, and prints the usage on standard error, if the arguments are invalid.
bool options_parse(struct options *options, int count, char **arguments);

// ---- Implemented by each kind of board ----

// The first lines of the usage, and its lines for the options of this kind of board.
extern const char board_usage[];
extern const char board_options_usage[];

// The options of this kind of board. The values of these options begin with BOARD_OPTION. The name
// of the last entry is NULL.
#define BOARD_OPTION 100
extern const struct option board_long_options[];

bool board_apply_option(struct board_options *own, int option, const char *argument);
// Returns true if the simulator can run with these options. Some boards, for example, need an
// image.
bool board_has_program(const struct board_options *own, bool has_image);

#endif
