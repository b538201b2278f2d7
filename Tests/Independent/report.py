"""Runs checks by name, and prints a line for each."""

import traceback


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


def run(checks):
    """Runs (name, function) pairs in turn; gives the number of failures."""
    failures = 0
    for name, check in checks:
        try:
            check()
            print(f"ok {name}", flush=True)
        except Skipped as reason:
            print(f"skip {name}: {reason}", flush=True)
        except Failure as failure:
            failures += 1
            print(f"not ok {name}: {failure}", flush=True)
        except Exception as error:
            failures += 1
            print(f"not ok {name}: {error!r}", flush=True)
            traceback.print_exc()
    return failures
