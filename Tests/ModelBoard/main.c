/*
 * model-board: runs the port of Firmware/boards/common behind a pseudo-terminal, in real time.
 * Prints the path of the terminal, and serves it until a signal ends the program.
 */
#define _GNU_SOURCE /* posix_openpt, cfmakeraw */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/select.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "board.h"

#define STEP_US 250u
#define WAIT_US 200
#define OUTPUT_MAX 4096
#define INPUT_MAX 64
#define BYTE_US (10 * 1000000u / BRIDGE_BAUD)
#define BEHIND_MAX_US 100000u /* the maximum delay for which the program compensates */

static uint8_t output[OUTPUT_MAX];
static size_t output_size;

static void send(uint8_t byte) {
    if (output_size < OUTPUT_MAX) {
        output[output_size++] = byte;
    }
}

static uint64_t wall_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

/* The terminal must not echo or translate bytes. The program also keeps the host's end of the
 * terminal open, so that reading does not fail before a host opens the terminal. */
static int open_terminal(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master == -1 || grantpt(master) != 0 || unlockpt(master) != 0) {
        return -1;
    }
    const char *path = ptsname(master);
    int slave = path ? open(path, O_RDWR | O_NOCTTY) : -1;
    struct termios modes;
    if (slave == -1 || tcgetattr(slave, &modes) != 0 || fcntl(master, F_SETFL, O_NONBLOCK) != 0) {
        return -1;
    }
    cfmakeraw(&modes);
    tcsetattr(slave, TCSANOW, &modes);
    printf("device %s\n", path);
    fflush(stdout);
    return master;
}

int main(void) {
    int master = open_terminal();
    if (master == -1) {
        perror("model-board");
        return EXIT_FAILURE;
    }
    board_begin(send);
    board.byte_us = BYTE_US;
    uint64_t reached_us = wall_us();
    for (;;) {
        bool has_room = board_room() >= INPUT_MAX;
        fd_set host;
        FD_ZERO(&host);
        if (has_room) {
            FD_SET(master, &host);
        }
        struct timeval wait = {.tv_usec = WAIT_US};
        select(master + 1, &host, NULL, NULL, &wait);
        /* The clock is read after the bytes, so that no byte begins before the host has sent it. */
        uint8_t input[INPUT_MAX];
        ssize_t size = has_room ? read(master, input, sizeof input) : 0;
        uint64_t now_us = wall_us();
        if (now_us - reached_us > BEHIND_MAX_US) {
            reached_us = now_us - BEHIND_MAX_US;
        }
        board_run((uint32_t)(now_us - reached_us), STEP_US);
        reached_us = now_us;
        for (ssize_t index = 0; index < size; index++) {
            board_arrive(input[index]);
        }
        if (output_size) {
            ssize_t written = write(master, output, output_size);
            (void)written; /* bytes that no host reads in time are lost, as with an adapter */
            output_size = 0;
        }
    }
}
