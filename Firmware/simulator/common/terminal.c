#define _GNU_SOURCE // ppoll, posix_openpt, ptsname
#include "terminal.h"

#include "clock.h"
#include "control.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

// How long the simulation may lag behind the wall clock: little while something goes on, as bytes
// leave only when it gets there.
#define SHORTEST_WAIT_NS UINT64_C(100000)
#define LONGEST_WAIT_NS UINT64_C(5000000)
#define BUSY_WAIT_NS UINT64_C(200000)
#define TIMER_SLACK_NS 1000ul

// A machine that could not keep up for so long does not get the time back.
#define MOST_BEHIND_NS UINT64_C(100000000)

// A board has a processor of its own: programs that wait for it do not keep it from running.
#define PRIORITY (-10)

#define OUTPUT_MAX 4096u
#define INPUT_MAX 64u
#define FIRST_BAUD 250000u

struct terminal {
    struct board *board;
    struct control control;
    int master;
    bool is_open; // by the host
    double cycles_per_ns;
    uint64_t started_ns; // the wall clock at cycle 0
    uint8_t output[OUTPUT_MAX];
    size_t output_size;
};

static volatile sig_atomic_t is_told_to_end;

static void on_signal(int signal) {
    (void)signal;
    is_told_to_end = 1;
}

// ---- The wall clock ----

// The clock that hosts read.
static uint64_t wall_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static uint64_t cycle_ns(const struct terminal *terminal, uint64_t cycle) {
    return terminal->started_ns + (uint64_t)((double)cycle / terminal->cycles_per_ns);
}

static uint64_t cycle_at(const struct terminal *terminal, uint64_t time_ns) {
    return (uint64_t)((double)(time_ns - terminal->started_ns) * terminal->cycles_per_ns);
}

static void begin_at(struct terminal *terminal, uint64_t time_ns) {
    terminal->started_ns = time_ns;
    trace_line(&terminal->board->trace, "wall %" PRIu64 " %" PRIu64, board_now(terminal->board),
               time_ns);
}

static void run_until_now(struct terminal *terminal) {
    uint64_t now_ns = wall_ns();
    uint64_t reached_ns = cycle_ns(terminal, board_now(terminal->board));
    if (now_ns > reached_ns + MOST_BEHIND_NS) {
        begin_at(terminal, terminal->started_ns + now_ns - reached_ns);
    }
    if (now_ns > terminal->started_ns) {
        board_run(terminal->board, cycle_at(terminal, now_ns));
    }
}

static uint64_t time_to_wait_ns(const struct terminal *terminal) {
    const struct board *board = terminal->board;
    if (board_is_sending(board)) {
        return 0; // no byte may reach the host later than its stop bit
    }
    if (!board_is_asleep(board)) {
        return BUSY_WAIT_NS;
    }
    if (board->schedule.next == SCHEDULE_NEVER) {
        return LONGEST_WAIT_NS;
    }
    uint64_t due_ns = cycle_ns(terminal, board->schedule.next);
    uint64_t now_ns = wall_ns();
    uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait_ns > LONGEST_WAIT_NS) {
        return LONGEST_WAIT_NS;
    }
    return wait_ns < SHORTEST_WAIT_NS ? SHORTEST_WAIT_NS : wait_ns;
}

// ---- The host's end ----

// The terminal must not echo, or translate, what passes before the host has set it up. No
// descriptor of its other end is kept: the host's opening and closing could not be seen.
static bool set_raw(const char *path) {
    int slave = open(path, O_RDWR | O_NOCTTY);
    if (slave == -1) {
        return false;
    }
    struct termios2 modes = {.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | HUPCL,
                             .c_ispeed = FIRST_BAUD,
                             .c_ospeed = FIRST_BAUD,
                             .c_cc = {[VMIN] = 1}};
    bool is_set = ioctl(slave, TCSETS2, &modes) == 0;
    close(slave);
    return is_set;
}

static bool open_terminal(struct terminal *terminal) {
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal->master == -1 || grantpt(terminal->master) != 0 ||
        unlockpt(terminal->master) != 0) {
        return false;
    }
    const char *path = ptsname(terminal->master);
    if (path == NULL || !set_raw(path)) {
        return false;
    }
    printf("device %s\n", path);
    fflush(stdout);
    return true;
}

// Returns early when the host sends something, closes the terminal, or a signal comes. A terminal
// that is closed would not let poll wait: then it is not asked.
static void wait_for_work(const struct terminal *terminal) {
    uint64_t wait_ns = time_to_wait_ns(terminal);
    struct timespec wait = {.tv_nsec = (long)wait_ns};
    struct pollfd sources[] = {
        {.fd = terminal->control.descriptor, .events = POLLIN},
        {.fd = terminal->master, .events = board_has_room(terminal->board) ? POLLIN : 0},
    };
    sigset_t none;
    sigemptyset(&none);
    ppoll(sources, terminal->is_open ? 2 : 1, &wait, &none);
}

// Who opened and closed it between two looks has left HUPCL as it wanted it.
static void look_at_host(struct terminal *terminal) {
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
    if (is_open && is_known && modes.c_ospeed != 0) {
        board_set_rate(terminal->board, modes.c_ospeed);
    }
}

// They have come by now, which the simulation has yet to reach: no board hears what has not been
// sent.
static void take_input(struct terminal *terminal) {
    struct board *board = terminal->board;
    uint8_t bytes[INPUT_MAX];
    ssize_t size =
        board_has_room(terminal->board) ? read(terminal->master, bytes, sizeof bytes) : 0;
    uint64_t now = cycle_at(terminal, wall_ns());
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

// What nobody reads in time is lost, as with an adapter.
static void give_output(struct terminal *terminal) {
    if (terminal->is_open && terminal->output_size != 0) {
        ssize_t written = write(terminal->master, terminal->output, terminal->output_size);
        (void)written;
    }
    terminal->output_size = 0;
}

// ---- Serving ----

static void catch_signals(void) {
    const int signals[] = {SIGTERM, SIGINT};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked; // but for the time of waiting
    sigemptyset(&blocked);
    for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++) {
        sigaction(signals[index], &action, NULL);
        sigaddset(&blocked, signals[index]);
    }
    sigprocmask(SIG_BLOCK, &blocked, NULL);
}

bool terminal_serve(struct board *board, const struct options *options) {
    static struct terminal terminal;
    terminal.board = board;
    terminal.cycles_per_ns = CLOCK_HZ / 1e9 * (1 + options->fast_ppm / 1e6);
    catch_signals();
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    setpriority(PRIO_PROCESS, 0, PRIORITY); // where the system lets it
    if (!control_open(&terminal.control, board, options->control_path) ||
        !open_terminal(&terminal)) {
        return false;
    }
    board_on_output(board, take_from_board, &terminal);
    begin_at(&terminal, wall_ns());
    while (!is_told_to_end) {
        wait_for_work(&terminal);
        run_until_now(&terminal);
        give_output(&terminal);
        look_at_host(&terminal);
        control_poll(&terminal.control);
        take_input(&terminal);
    }
    close(terminal.master);
    return true;
}
