"""The service whose gamepad and local socket are tested in the guest."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from steps import expect, wait_for

LIMIT_S = 120
# The maximum time that the manual states between a call and the corresponding write on the bus.
LATE_US = 10_000
# The just-noticeable difference of a level (levelWeber and leastFelt in Fidelity.swift).
LEVEL_WEBER, LEAST_FELT = 0.2, 8


def now_us():
    """Returns the time on the clock of the trace."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


class Service:
    """`bridge serve --virtual --rumble`, whose trace contains each level on the bus and its time."""

    def __init__(self, bridge):
        self.folder = Path("/tmp/rumble")
        self.folder.mkdir(exist_ok=True)
        self.trace = self.folder / "trace"
        self.trace.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [bridge, "serve", "--virtual", "--rumble", "--json", "--quiet", "--trace", self.trace], text=True,
            stdout=subprocess.PIPE, env=os.environ | {"XDG_RUNTIME_DIR": str(self.folder)})
        self.path = Path(json.loads(self.process.stdout.readline())["rumble"])

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(LIMIT_S)

    def levels(self, since=0):
        """Returns a (time, level) pair for each change of the level from the time `since` on."""
        found = [(0, 0)]
        for line in self.trace.read_text().split("\n")[:-1]:
            at, data = line.split()
            # A write of a level: the address of the chip, register 02 and the value.
            if len(data) == 6 and data[2:4] == "02" and int(data[4:], 16) != found[-1][1]:
                found.append((int(at), int(data[4:], 16)))
        return [change for change in found if change[0] >= since]

    def level(self):
        return self.levels()[-1][1]

    def reach(self, level, since, what, late_us=LATE_US):
        """Waits for a level that must be on the bus within `late_us`. Returns the time, in microseconds, that passed
        until then."""
        at = wait_for(lambda: next((at for at, value in self.levels(since) if value == level), None), 2,
                      f"{what}: the level {level}, after {self.levels(since)}")
        expect(at - since <= late_us, f"{what}: {(at - since) / 1000} ms until the level {level}")
        return at - since

    def follow(self, due, begin, length_ms, what):
        """Compares the levels on the bus with the function `due` of the time in milliseconds. The difference may be
        at most 1 JND, and a level may be late by at most LATE_US."""
        changes = self.levels()
        worst, worst_at = 0, ""
        for milliseconds in range(1 + LATE_US // 1000, length_ms):
            at = begin + 1000 * milliseconds
            level = [value for time, value in changes if time <= at][-1]
            allowed = [255 * due(milliseconds - late) for late in range(LATE_US // 1000 + 1)]
            low, high = min(allowed), max(allowed)
            nearest = min(max(level, low), high)
            jnd = abs(level - nearest) / (LEVEL_WEBER * max(nearest, LEAST_FELT))
            if jnd > worst:
                worst, worst_at = jnd, f", at {milliseconds} ms: {level} instead of {nearest:.1f}"
        print(f"   {what}: {worst:.2f} JND at most{worst_at}", flush=True)
        expect(worst <= 1, f"{what}: {worst} JND")
