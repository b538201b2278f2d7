"""Runs checks by name, and prints a line for each."""

import threading
import time
import traceback

# A failure while the machine stood still for so long says nothing about who is judged: it is tried again.
STALL_S = 0.005
TRIES = 3


class Failure(Exception):
    """What a check found."""


class Skipped(Exception):
    """What is not here that a check needs."""


def expect(condition, why):
    if not condition:
        raise Failure(why)


def expect_equal(found, expected, what):
    if found != expected:
        raise Failure(f"{what} is {found}, not {expected}")


def skip(reason):
    """A check that is skipped."""
    def check():
        raise reason
    return check


class StallWatch(threading.Thread):
    """Sleeps over and over, and keeps the greatest time by which it woke too late."""

    def __init__(self):
        super().__init__(daemon=True)
        self.worst = 0.0
        self.start()

    def run(self):
        while True:
            begin = time.monotonic()
            time.sleep(STALL_S)
            self.worst = max(self.worst, time.monotonic() - begin - STALL_S)


def attempt(check):
    """None, or the error that the check ended with."""
    try:
        check()
    except Skipped:
        raise
    except Exception as error:
        return error
    return None


def attempt_in_peace(check, watch):
    for _ in range(TRIES):
        watch.worst = 0.0
        error = attempt(check)
        if error is None or watch.worst < STALL_S:
            break
    return error


def run(checks):
    """Runs (name, function) pairs in turn; gives the number of failures."""
    failures = 0
    watch = StallWatch()
    for name, check in checks:
        try:
            error = attempt_in_peace(check, watch)
        except Skipped as reason:
            print(f"skip {name}: {reason}", flush=True)
            continue
        if error is None:
            print(f"ok {name}", flush=True)
            continue
        failures += 1
        print(f"not ok {name}: {error if isinstance(error, Failure) else repr(error)}", flush=True)
        if not isinstance(error, Failure):
            traceback.print_exception(error)
    return failures
