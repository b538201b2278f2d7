#define _POSIX_C_SOURCE 200809L // getline
#include "lock_step.h"

#include "commands.h"

#include <stdlib.h>
#include <string.h>

bool lock_step_serve(struct board *board) {
    char *line = NULL;
    size_t size = 0;
    unsigned long number = 0;
    const char *expected = NULL;
    while (expected == NULL && getline(&line, &size, stdin) != -1) {
        number++;
        if (strcmp(line, "quit\n") == 0) {
            break;
        }
        expected = command_obey(board, line);
        fflush(board->trace.out);
    }
    free(line);
    if (expected != NULL) {
        fprintf(stderr, "error %lu: expected %s\n", number, expected);
    }
    return expected == NULL;
}
