// avr-board: the simulated reference board. See README.md.
#include "board.h"
#include "intel_hex.h"
#include "lock_step.h"
#include "options.h"
#include "terminal.h"

#include <stdlib.h>

#define EXIT_USAGE 64
#define EXIT_IMAGE 66

static bool load_images(struct board *board, const struct options *options) {
    struct mcu *mcu = &board->mcu;
    uint32_t lowest = FLASH_SIZE;
    if (options->boot_loader_path != NULL) {
        if (!intel_hex_load(options->boot_loader_path, mcu->flash, FLASH_SIZE - BOOT_SECTION_MAX,
                            FLASH_SIZE, &lowest)) {
            return false;
        }
        mcu_set_boot_loader(mcu, lowest);
    }
    return options->image_path == NULL ||
           intel_hex_load(options->image_path, mcu->flash, 0, mcu->boot_start, &lowest);
}

static int serve_lock_step(struct board *board) {
    board_set_power(board, true);
    return lock_step_serve(board) ? EXIT_SUCCESS : EXIT_USAGE;
}

static int serve_terminal(struct board *board, const struct options *options) {
    board_set_power(board, true);
    const struct terminal_settings settings = {.resets_on_open = options->resets_on_open,
                                               .control_path = options->control_path,
                                               .fast_ppm = options->fast_ppm};
    if (!terminal_serve(board, &settings)) {
        perror("error: pseudo-terminal");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

// Where the output lines go.
static bool open_trace(const struct options *options, FILE **trace) {
    *trace = options->is_lock_step ? stdout : NULL;
    if (options->is_lock_step || options->trace_path == NULL) {
        return true;
    }
    *trace = fopen(options->trace_path, "w");
    return *trace != NULL && setvbuf(*trace, NULL, _IOLBF, BUFSIZ) == 0;
}

int main(int count, char **arguments) {
    static struct board board;
    struct options options;
    FILE *trace = NULL;
    if (!options_parse(&options, count, arguments)) {
        return EXIT_USAGE;
    }
    if (!open_trace(&options, &trace)) {
        perror(options.trace_path);
        return EXIT_FAILURE;
    }
    if (!board_init(&board, &options.board, trace)) {
        return EXIT_FAILURE;
    }
    if (!load_images(&board, &options)) {
        return EXIT_IMAGE;
    }
    return options.is_lock_step ? serve_lock_step(&board) : serve_terminal(&board, &options);
}
