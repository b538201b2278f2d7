#define _GNU_SOURCE // getopt_long
#include "options.h"

#include "drv2605_model.h"
#include "tca9548a_model.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "  --lock-step        read commands from standard input instead of serving a host\n"
    "  --actuators N      number of chips; 2 to 8 chips are behind a TCA9548A (default 1)\n"
    "  --chip ID          DEVICE_ID: 3 is a DRV2605, 7 a DRV2605L (default)\n"
    "  --no-driver        no chip on the I2C bus\n"
    "  --sensor NAME      accelerometer on the bus: lis3dh, lis2dw12 or lsm6dso (default none)\n"
    "  --seed N           seed for memory without a reset value (default 0)\n"
    "  --trace FILE       write the output lines to FILE (not with --lock-step)\n"
    "  --vcd FILE         write the wires of the I2C bus to FILE, as a logic analyzer does\n"
    "  --control FIFO     read commands from FIFO as in lock-step (not with --lock-step)\n"
    "  --ppm N            the controller's clock is N ppm fast (not with --lock-step)\n";

#define DEVICE_ID_MAX 7
#define PPM_MAX 100000
#define OPTIONS_MAX 16u

enum { LOCK_STEP = 1, ACTUATORS, CHIP, NO_DRIVER, SENSOR, SEED, TRACE, VCD, CONTROL, PPM };

static const struct option common_options[] = {
    {"lock-step", no_argument, NULL, LOCK_STEP},
    {"actuators", required_argument, NULL, ACTUATORS},
    {"chip", required_argument, NULL, CHIP},
    {"no-driver", no_argument, NULL, NO_DRIVER},
    {"sensor", required_argument, NULL, SENSOR},
    {"seed", required_argument, NULL, SEED},
    {"trace", required_argument, NULL, TRACE},
    {"vcd", required_argument, NULL, VCD},
    {"control", required_argument, NULL, CONTROL},
    {"ppm", required_argument, NULL, PPM},
    {NULL, 0, NULL, 0},
};

static bool parse_number(const char *text, long least, long most, long *number) {
    char *end = NULL;
    errno = 0;
    *number = strtol(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && *number >= least && *number <= most;
}

// Finds the accelerometer that has the given name. Returns false if there is none.
static bool find_sensor(const char *name, enum accelerometer_kind *kind) {
    static const char *const names[] = {
        [ACCELEROMETER_LIS3DH] = "lis3dh",
        [ACCELEROMETER_LIS2DW12] = "lis2dw12",
        [ACCELEROMETER_LSM6DSO] = "lsm6dso",
    };
    for (*kind = ACCELEROMETER_LIS3DH; *kind <= ACCELEROMETER_LSM6DSO; (*kind)++) {
        if (strcmp(name, names[*kind]) == 0) {
            return true;
        }
    }
    return false;
}

static bool apply(struct options *options, int option, const char *argument) {
    long number = 0;
    bool is_right = true;
    switch (option) {
    case LOCK_STEP:
        options->is_lock_step = true;
        break;
    case ACTUATORS:
        is_right = parse_number(argument, 1, TCA9548A_MODEL_CHANNELS, &number);
        options->actuators = (uint8_t)number;
        break;
    case CHIP:
        is_right = parse_number(argument, 0, DEVICE_ID_MAX, &number);
        options->device_id = (uint8_t)number;
        break;
    case NO_DRIVER:
        options->has_driver = false;
        break;
    case SENSOR:
        is_right = find_sensor(argument, &options->sensor);
        break;
    case SEED:
        is_right = parse_number(argument, 0, LONG_MAX, &number);
        options->seed = (uint64_t)number;
        break;
    case TRACE:
        options->trace_path = argument;
        break;
    case VCD:
        options->vcd_path = argument;
        break;
    case CONTROL:
        options->control_path = argument;
        break;
    case PPM:
        is_right = parse_number(argument, -PPM_MAX, PPM_MAX, &number);
        options->fast_ppm = (int32_t)number;
        break;
    default:
        is_right = board_apply_option(&options->own, option, argument);
        break;
    }
    return is_right;
}

static size_t append(struct option *options, size_t size, const struct option *more) {
    while (more->name != NULL && size < OPTIONS_MAX) {
        options[size++] = *more++;
    }
    return size;
}

static bool apply_all(struct options *options, int count, char **arguments) {
    struct option known[OPTIONS_MAX + 1] = {0};
    append(known, append(known, 0, common_options), board_long_options);
    bool is_right = true;
    int option = getopt_long(count, arguments, "", known, NULL);
    while (option != -1 && is_right) {
        is_right = apply(options, option, optarg);
        option = getopt_long(count, arguments, "", known, NULL);
    }
    return is_right;
}

bool options_parse(struct options *options, int count, char **arguments) {
    *options = (struct options){.device_id = MODEL_ID_DRV2605L, .actuators = 1, .has_driver = true};
    bool is_right = apply_all(options, count, arguments);
    int images = count - optind;
    if (!is_right || images > 1 || !board_has_program(&options->own, images == 1)) {
        fprintf(stderr, "%s%s%s", board_usage, usage, board_options_usage);
        return false;
    }
    options->image_path = images == 0 ? NULL : arguments[optind];
    return true;
}
