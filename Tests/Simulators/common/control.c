#define _GNU_SOURCE // O_CLOEXEC
#include "control.h"

#include "commands.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define EXIT_USAGE 64

// Opens the pipe for writing as well, so that reading does not end when a writer closes it.
bool control_open(struct control *control, struct board *board, const char *path) {
    *control = (struct control){.board = board, .descriptor = -1};
    if (path != NULL) {
        control->descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
    return path == NULL || control->descriptor != -1;
}

static void take(struct control *control, char character) {
    if (character != '\n' && control->length < CONTROL_LINE_MAX - 1) {
        control->line[control->length++] = character;
        return;
    }
    control->line[control->length] = '\0';
    control->length = 0;
    const char *expected = command_obey(control->board, control->line);
    if (expected != NULL) {
        fprintf(stderr, "error: control: expected %s\n", expected);
        exit(EXIT_USAGE);
    }
}

void control_poll(struct control *control) {
    char character = 0;
    while (control->descriptor != -1 && read(control->descriptor, &character, 1) == 1) {
        take(control, character);
    }
}
