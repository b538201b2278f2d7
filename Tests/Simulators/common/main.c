// The main program of the simulated boards, avr-board and pico-board. See README.md.
#include "board.h"
#include "lock_step.h"
#include "options.h"

#include <stdlib.h>

#define EXIT_USAGE 64
#define EXIT_IMAGE 66

static int serve_lock_step(struct board *board) {
    board_set_power(board, true);
    return lock_step_serve(board) ? EXIT_SUCCESS : EXIT_USAGE;
}

static int serve_host(struct board *board, const struct options *options) {
    board_set_power(board, true);
    if (!board_serve(board, options)) {
        perror("error: cannot open the connection for the host");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

// Opens the stream for the output lines. Returns false if the trace file cannot be opened.
static bool open_trace(const struct options *options, FILE **trace) {
    *trace = options->is_lock_step ? stdout : NULL;
    if (options->is_lock_step || options->trace_path == NULL) {
        return true;
    }
    *trace = fopen(options->trace_path, "w");
    return *trace != NULL && setvbuf(*trace, NULL, _IOLBF, BUFSIZ) == 0;
}

// Begins to record the wires of the bus if the options specify a file. Returns false if this file
// cannot be opened.
static bool open_vcd(struct board *board, const struct options *options) {
    FILE *file = options->vcd_path == NULL ? NULL : fopen(options->vcd_path, "w");
    vcd_init(&board->vcd, file);
    return file != NULL || options->vcd_path == NULL;
}

int main(int count, char **arguments) {
    static struct board board;
    static struct options options;
    FILE *trace = NULL;
    if (!options_parse(&options, count, arguments)) {
        return EXIT_USAGE;
    }
    if (!open_trace(&options, &trace)) {
        perror(options.trace_path);
        return EXIT_FAILURE;
    }
    if (!open_vcd(&board, &options)) {
        perror(options.vcd_path);
        return EXIT_FAILURE;
    }
    if (!board_init(&board, &options, trace)) {
        return EXIT_FAILURE;
    }
    if (!board_load(&board)) {
        return EXIT_IMAGE;
    }
    return options.is_lock_step ? serve_lock_step(&board) : serve_host(&board, &options);
}
