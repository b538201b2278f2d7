#define _GNU_SOURCE // CLOCK_BOOTTIME, ppoll
#include "pace.h"

#include "clock.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

// The intervals for which the simulation waits before it catches up with the wall clock. While the
// board is active, the interval is short, because a byte is sent only when the simulation reaches
// the byte's time.
#define SHORTEST_WAIT_NS UINT64_C(100000)
#define LONGEST_WAIT_NS UINT64_C(5000000)
#define BUSY_WAIT_NS UINT64_C(200000)
#define TIMER_SLACK_NS 1000ul

// The maximum delay for which the simulation compensates after a pause.
#define MOST_BEHIND_NS UINT64_C(100000000)

// The priority of the program. Programs that wait for the board must not delay the board, because a
// real board has its own processor.
#define PRIORITY (-10)

// ---- The wall clock ----

// The clock that host programs use.
static uint64_t wall_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static uint64_t cycle_ns(const struct pace *pace, uint64_t cycle) {
    return pace->started_ns + (uint64_t)((double)cycle / pace->cycles_per_ns);
}

static uint64_t cycle_at(const struct pace *pace, uint64_t time_ns) {
    return (uint64_t)((double)(time_ns - pace->started_ns) * pace->cycles_per_ns);
}

uint64_t pace_cycle(const struct pace *pace) { return cycle_at(pace, wall_ns()); }

static void begin_at(struct pace *pace, uint64_t time_ns) {
    pace->started_ns = time_ns;
    trace_line(&pace->board->trace, "wall %" PRIu64 " %" PRIu64, board_now(pace->board), time_ns);
}

void pace_begin(struct pace *pace) { begin_at(pace, wall_ns()); }

void pace_run(struct pace *pace) {
    uint64_t now_ns = wall_ns();
    uint64_t reached_ns = cycle_ns(pace, board_now(pace->board));
    if (now_ns > reached_ns + MOST_BEHIND_NS) {
        begin_at(pace, pace->started_ns + now_ns - reached_ns);
    }
    if (now_ns > pace->started_ns) {
        board_run(pace->board, cycle_at(pace, now_ns));
    }
    control_poll(&pace->control);
}

// ---- Waiting ----

static uint64_t time_to_wait_ns(const struct pace *pace) {
    const struct board *board = pace->board;
    if (board_is_sending(board)) {
        return 0; // the host must receive a byte at the end of its stop bit
    }
    if (!board_is_asleep(board)) {
        return BUSY_WAIT_NS;
    }
    if (board->schedule.next == SCHEDULE_NEVER) {
        return LONGEST_WAIT_NS;
    }
    uint64_t due_ns = cycle_ns(pace, board->schedule.next);
    uint64_t now_ns = wall_ns();
    uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait_ns > LONGEST_WAIT_NS) {
        return LONGEST_WAIT_NS;
    }
    return wait_ns < SHORTEST_WAIT_NS ? SHORTEST_WAIT_NS : wait_ns;
}

void pace_wait(const struct pace *pace, struct pollfd host) {
    struct timespec wait = {.tv_nsec = (long)time_to_wait_ns(pace)};
    struct pollfd sources[] = {{.fd = pace->control.descriptor, .events = POLLIN}, host};
    sigset_t none;
    sigemptyset(&none);
    ppoll(sources, 2, &wait, &none);
}

// ---- Signals ----

static volatile sig_atomic_t is_told_to_end;

static void on_signal(int signal) {
    (void)signal;
    is_told_to_end = 1;
}

bool pace_is_told_to_end(void) { return is_told_to_end != 0; }

static void catch_signals(void) {
    const int signals[] = {SIGTERM, SIGINT};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked; // blocked except while the program waits
    sigemptyset(&blocked);
    for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++) {
        sigaction(signals[index], &action, NULL);
        sigaddset(&blocked, signals[index]);
    }
    sigprocmask(SIG_BLOCK, &blocked, NULL);
}

bool pace_open(struct pace *pace, struct board *board, const struct options *options) {
    *pace = (struct pace){.board = board,
                          .cycles_per_ns = CLOCK_HZ / 1e9 * (1 + options->fast_ppm / 1e6)};
    catch_signals();
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    setpriority(PRIO_PROCESS, 0, PRIORITY); // has an effect only if the system permits it
    return control_open(&pace->control, board, options->control_path);
}
