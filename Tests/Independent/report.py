"""Runs named checks, and prints a line for each check."""

import traceback

# Boards and hosts run in real time, and the computer may pause, so a failed check is repeated. Each failure is printed.
# A check has failed only if every repetition fails.
TRIES = 3


class Failure(Exception):
    """The exception that states why a check failed."""


class Skipped(Exception):
    """The exception that is raised if a requirement of a check is not available."""


def expect(condition, why):
    if not condition:
        raise Failure(why)


def expect_equal(found, expected, what):
    if found != expected:
        raise Failure(f"{what} is {found}, not {expected}")


def skip(reason):
    """Returns a check that only reports that it is skipped."""
    def check():
        raise reason
    return check


def attempt(check):
    """Runs a check. Returns None, or the error that ended the check."""
    try:
        check()
    except Skipped:
        raise
    except Exception as error:
        return error
    return None


def describe(error):
    return error if isinstance(error, Failure) else repr(error)


def attempt_some_times(name, check, tries):
    for _ in range(tries):
        error = attempt(check)
        if error is None:
            return None
        print(f"failed {name}: {describe(error)}", flush=True)
    return error


def run(checks, tries=TRIES):
    """Runs the checks, which are (name, function) pairs, in turn. Returns the number of failures.

    A function may have its own number of tries.
    """
    failures = 0
    for name, check in checks:
        try:
            error = attempt_some_times(name, check, getattr(check, "tries", tries))
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
