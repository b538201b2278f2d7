#define _GNU_SOURCE // posix_openpt, ptsname
#include "terminal.h"

#include "pace.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define OUTPUT_MAX 4096u
#define INPUT_MAX 4096u
#define FIRST_BAUD 250000u

struct terminal {
    struct board *board;
    struct pace pace;
    int master;
    bool is_open; // true while a host program has the terminal open
    uint8_t output[OUTPUT_MAX];
    size_t output_size;
};

// ---- The host's end ----

// Configures the terminal so that it neither echoes nor translates bytes, until the host configures
// it.
static bool set_raw(int descriptor) {
    struct termios2 modes = {.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | HUPCL,
                             .c_ispeed = FIRST_BAUD,
                             .c_ospeed = FIRST_BAUD,
                             .c_cc = {[VMIN] = 1}};
    return ioctl(descriptor, TCSETS2, &modes) == 0;
}

static bool open_terminal(struct terminal *terminal) {
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal->master == -1 || grantpt(terminal->master) != 0 ||
        unlockpt(terminal->master) != 0) {
        return false;
    }
    const char *path = ptsname(terminal->master);
    int slave = path == NULL ? -1 : open(path, O_RDWR | O_NOCTTY);
    if (slave == -1 || !set_raw(slave)) {
        return false;
    }
    close(
        slave); // otherwise the program could not detect that the host opens or closes the terminal
    printf("device %s\n", path);
    fflush(stdout);
    return true;
}

// Waits until the host sends bytes or closes the terminal, a signal is received, or the next event
// is due. A closed terminal is not polled, because poll would return immediately.
static void wait_for_work(const struct terminal *terminal) {
    pace_wait(&terminal->pace,
              (struct pollfd){.fd = terminal->is_open ? terminal->master : -1,
                              .events = board_room(terminal->board) != 0 ? POLLIN : 0});
}

// Determines whether a program has opened the terminal. The HUPCL flag and the rate are read even
// if the terminal is closed, because a program may have opened, configured and closed the terminal
// between two polls.
static void look_at_host(struct terminal *terminal) {
    if (board_has_new_port(terminal->board)) {
        set_raw(terminal->master);
    }
    struct pollfd host = {.fd = terminal->master};
    poll(&host, 1, 0);
    bool is_open = (host.revents & POLLHUP) == 0;
    struct termios2 modes = {0};
    bool is_known = ioctl(terminal->master, TCGETS2, &modes) == 0;
    if (is_open && !terminal->is_open) {
        board_port_opened(terminal->board);
    } else if (!is_open) {
        board_port_closed(terminal->board, (modes.c_cflag & HUPCL) != 0);
    }
    terminal->is_open = is_open;
    if (is_known && modes.c_ospeed != 0) {
        board_set_rate(terminal->board, modes.c_ospeed);
    }
}

// Passes bytes to the board. The arrival time of the bytes is the current time of the wall clock,
// because the board must not receive the bytes before the simulation has reached this time.
static void take_input(struct terminal *terminal) {
    struct board *board = terminal->board;
    uint8_t bytes[INPUT_MAX];
    size_t room = board_room(board);
    ssize_t size = read(terminal->master, bytes, room < INPUT_MAX ? room : INPUT_MAX);
    uint64_t now = pace_cycle(&terminal->pace);
    if (size > 0) {
        board_send(board, now > board_now(board) ? now : board_now(board), bytes, (size_t)size);
    }
}

static void take_from_board(void *owner, uint8_t byte) {
    struct terminal *terminal = owner;
    if (terminal->output_size < OUTPUT_MAX) {
        terminal->output[terminal->output_size++] = byte;
    }
}

// Writes bytes to the host. If no program reads the bytes in time, they wait in the board or are
// lost.
static void give_output(struct terminal *terminal) {
    size_t left = terminal->is_open ? terminal->output_size : 0;
    if (left != 0) {
        ssize_t written = write(terminal->master, terminal->output, left);
        size_t gone = written > 0 ? (size_t)written : 0;
        left -= gone;
        memmove(terminal->output, &terminal->output[gone], left);
    }
    terminal->output_size = board_hold_output(terminal->board, left != 0) ? left : 0;
}

// ---- Main loop ----

bool terminal_serve(struct board *board, const struct options *options) {
    static struct terminal terminal;
    terminal.board = board;
    if (!pace_open(&terminal.pace, board, options) || !open_terminal(&terminal)) {
        return false;
    }
    board_on_output(board, take_from_board, &terminal);
    pace_begin(&terminal.pace);
    while (!pace_is_told_to_end()) {
        wait_for_work(&terminal);
        pace_run(&terminal.pace);
        give_output(&terminal);
        look_at_host(&terminal);
        take_input(&terminal);
    }
    close(terminal.master);
    return true;
}
