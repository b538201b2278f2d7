"""Runs checks by name, and prints a line for each."""

import traceback

# Boards and hosts run in real time: a check that fails is tried again, for the machine may have stood
# still. Each failure is printed, and a check that fails each time has failed.
TRIES = 1


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


def attempt(check):
    """None, or the error that the check ended with."""
    try:
        check()
    except Skipped:
        raise
    except Exception as error:
        return error
    return None


def describe(error):
    return error if isinstance(error, Failure) else repr(error)


def attempt_some_times(name, check):
    for _ in range(TRIES):
        error = attempt(check)
        if error is None:
            return None
        print(f"failed {name}: {describe(error)}", flush=True)
    return error


def run(checks):
    """Runs (name, function) pairs in turn; gives the number of failures."""
    failures = 0
    for name, check in checks:
        try:
            error = attempt_some_times(name, check)
        except Skipped as reason:
            print(f"skip {name}: {reason}", flush=True)
            continue
        if error is None:
            print(f"ok {name}", flush=True)
            continue
        failures += 1
        print(f"not ok {name}", flush=True)
        if not isinstance(error, Failure):
            traceback.print_exception(error)
    return failures
