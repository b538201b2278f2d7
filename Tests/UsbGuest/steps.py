"""Runs steps that depend on each other. Each step prints a line, and no further steps run after a failed step."""

import time
import traceback


class Failure(Exception):
    """The reason for the failure of a step."""


def expect(condition, why):
    if not condition:
        raise Failure(why)


def expect_equal(found, expected, what):
    expect(found == expected, f"{what} is {found!r}, not {expected!r}")


def wait_for(condition, limit_s, what):
    """Waits for the first true value of the condition, and returns it."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise Failure(f"{what} has not occurred within {limit_s} s")


def outcome(function):
    """Runs a step. Returns None, or the reason why the step has failed."""
    try:
        function()
    except Failure as failure:
        return str(failure)
    except Exception:
        return traceback.format_exc()
    return None


def run(steps):
    """Runs the steps, which are (name, function) pairs, in turn. Returns True if all steps have passed."""
    passed = 0
    for name, function in steps:
        started = time.monotonic()
        why = outcome(function)
        result = "ok" if why is None else "not ok"
        print(f"{result} {name} ({time.monotonic() - started:.1f} s)", flush=True)
        if why is not None:
            print(f"   {why}", flush=True)
            break
        passed += 1
    failed = 0 if passed == len(steps) else 1
    print(f"{passed} passed, {failed} failed, {len(steps) - passed - failed} not reached", flush=True)
    return failed == 0
