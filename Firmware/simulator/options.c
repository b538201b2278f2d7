#define _GNU_SOURCE // getopt_long
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>

static const char usage[] =
    "usage: avr-board [options] [image.hex]\n"
    "  --lock-step        commands on standard input instead of a pseudo-terminal\n"
    "  --eeprom FILE      contents of the EEPROM, read at start and written when changed\n"
    "  --bootloader FILE  boot loader (Intel hex, within the last 4 KB), where resets start\n"
    "  --actuators N      that many chips, 2 to 8 of them behind a TCA9548A (default 1)\n"
    "  --chip ID          DEVICE_ID: 3 is a DRV2605, 7 a DRV2605L (default)\n"
    "  --no-driver        nothing on the I2C bus\n"
    "  --seed N           of memory without a reset value (default 0)\n"
    "  --trace FILE       output lines (pseudo-terminal)\n"
    "  --reset-on-open    opening the terminal pulls reset (pseudo-terminal)\n"
    "  --control FIFO     commands as in lock-step, and DTR pulls reset (pseudo-terminal)\n"
    "  --ppm N            the MCU's clock is N ppm fast (pseudo-terminal)\n";

#define DEVICE_ID_MAX 7
#define PPM_MAX 100000

enum {
    LOCK_STEP = 1,
    EEPROM_FILE,
    BOOT_LOADER,
    ACTUATORS,
    CHIP,
    NO_DRIVER,
    SEED,
    TRACE,
    RESET_ON_OPEN,
    CONTROL,
    PPM,
};

static const struct option long_options[] = {
    {"lock-step", no_argument, NULL, LOCK_STEP},
    {"eeprom", required_argument, NULL, EEPROM_FILE},
    {"bootloader", required_argument, NULL, BOOT_LOADER},
    {"actuators", required_argument, NULL, ACTUATORS},
    {"chip", required_argument, NULL, CHIP},
    {"no-driver", no_argument, NULL, NO_DRIVER},
    {"seed", required_argument, NULL, SEED},
    {"trace", required_argument, NULL, TRACE},
    {"reset-on-open", no_argument, NULL, RESET_ON_OPEN},
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

static bool apply(struct options *options, int option, const char *argument) {
    long number = 0;
    bool is_right = true;
    switch (option) {
    case LOCK_STEP:
        options->is_lock_step = true;
        break;
    case EEPROM_FILE:
        options->board.eeprom_path = argument;
        break;
    case BOOT_LOADER:
        options->boot_loader_path = argument;
        break;
    case ACTUATORS:
        is_right = parse_number(argument, 1, TCA9548A_MODEL_CHANNELS, &number);
        options->board.actuators = (uint8_t)number;
        break;
    case CHIP:
        is_right = parse_number(argument, 0, DEVICE_ID_MAX, &number);
        options->board.device_id = (uint8_t)number;
        break;
    case NO_DRIVER:
        options->board.has_driver = false;
        break;
    case SEED:
        is_right = parse_number(argument, 0, LONG_MAX, &number);
        options->board.seed = (uint64_t)number;
        break;
    case TRACE:
        options->trace_path = argument;
        break;
    case RESET_ON_OPEN:
        options->resets_on_open = true;
        break;
    case CONTROL:
        options->control_path = argument;
        break;
    case PPM:
        is_right = parse_number(argument, -PPM_MAX, PPM_MAX, &number);
        options->fast_ppm = (int32_t)number;
        break;
    default:
        is_right = false;
        break;
    }
    return is_right;
}

bool options_parse(struct options *options, int count, char **arguments) {
    *options = (struct options){
        .board = {.device_id = MODEL_ID_DRV2605L, .actuators = 1, .has_driver = true}};
    bool is_right = true;
    int option = getopt_long(count, arguments, "", long_options, NULL);
    while (option != -1 && is_right) {
        is_right = apply(options, option, optarg);
        option = getopt_long(count, arguments, "", long_options, NULL);
    }
    int images = count - optind;
    if (!is_right || images > 1 || (images == 0 && options->boot_loader_path == NULL)) {
        fputs(usage, stderr);
        return false;
    }
    options->image_path = images == 0 ? NULL : arguments[optind];
    return true;
}
