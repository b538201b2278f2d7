#define _POSIX_C_SOURCE 200809L
#include "apart_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Reads the first line from a pipe.
static void read_message(int end, char message[MESSAGE_MAX]) {
    size_t size = 0;
    ssize_t got = read(end, message, MESSAGE_MAX - 1);
    while (got > 0) {
        size += (size_t)got;
        got = read(end, &message[size], MESSAGE_MAX - 1 - size);
    }
    message[size] = '\0';
    message[strcspn(message, "\n")] = '\0';
}

int run_apart(void (*run)(void *owner), void *owner, char message[MESSAGE_MAX]) {
    int ends[2];
    if (pipe(ends) != 0) {
        perror("pipe");
        exit(EXIT_FAILURE);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        run(owner);
        exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    read_message(ends[0], message);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
