"""A program that taps in a fixed rhythm on a served board while other programs use the board.

witness.py PORT PROCESS...

The program prints a line when it is ready, and taps until its standard input ends. For each tap, it then prints the
time of the request, the time at which the tap was due, and the longest stall of the given processes at this time, all
in seconds.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Clients/python"))

from stalls import Stalls, be_urgent  # noqa: E402
from haptic_bridge import EngineNotRunningError, HapticEngine, HapticPattern  # noqa: E402

# In seconds: the interval between two taps, the interval between the request and the due time of a tap, and the minimum
# of this interval according to the protocol.
INTERVAL, AHEAD, DUE_AHEAD = 0.1, 0.2, 0.1
# In seconds: the stall after which a change may arrive late, the stall after which the time of a tap is not judged, and
# the maximum time until the witness is informed that the board has come to rest after a long stall.
REPEATING, STALL, DEAD_MAN = 0.002, 0.01, 0.3
# The level of a tap. No other program holds more than half of this level.
FULL = 255
# The maximum permitted timing error of a tap without a stall, in seconds. 5 % of the taps may have a greater error.
TOLERANCE = 0.002

TAP = {"Pattern": [{"Event": {"EventType": "HapticTransient", "Time": 0, "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": 1}]}}]}


def tap(port, processes):
    """Taps until the standard input ends."""
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
    stalls = Stalls(processes)
    pattern = HapticPattern.from_ahap(TAP)
    requested, due = [], []
    with HapticEngine(port, program="witness") as engine:
        player = engine.make_player(pattern)
        begin = engine.current_time + 2 * AHEAD
        while not is_over.is_set():
            due.append(begin + len(due) * INTERVAL)
            time.sleep(max(0, due[-1] - AHEAD - engine.current_time))
            try:
                player.start(due[-1])
            except EngineNotRunningError:  # A long stall may have brought the board to rest.
                engine.start()
                player = engine.make_player(pattern)
                player.start(due[-1])
            requested.append(engine.current_time)
            if len(due) == 1:
                print("ready", flush=True)
        engine.wait_until_finished(player, 5)
    time.sleep(INTERVAL)
    shift = time.monotonic() - engine.current_time
    print(json.dumps([
        [at, due, stalls.longest(at + shift - DEAD_MAN, due + shift + INTERVAL / 2)]
        for at, due in zip(requested, due)]))


class Witness:
    """Taps until the `with` block ends. Then checks that each tap is on the bus, and that 95 % of the taps are within
    the tolerance.

    The server and the board are programs on this computer. A tap may be late by twice the time for which a thread of
    them waited for a processor. If this time is long, or if the witness itself requested the tap too late, the time of
    the tap is not judged; the times of half of the taps must be judged. A late change may repeat a tap.
    """

    def __init__(self, board):
        self.board = board

    def __enter__(self):
        words = [sys.executable, "-B", __file__, self.board.port, *map(str, self.board.process_ids)]
        self.process = subprocess.Popen(
            words, env=self.board.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=be_urgent)
        assert self.process.stdout.readline(), "the witness has failed"
        # The first tap determines the difference between the clock of the witness and the clock of the board.
        while not self._taps():
            time.sleep(0.01)
        return self

    def __exit__(self, kind, *_):
        output, _ = self.process.communicate()
        if not kind:
            assert self.process.returncode == 0, "the witness has failed"
            self.judge(json.loads(output))

    def _taps(self):
        """Returns the times of the taps on the bus, in seconds on the clock of the board."""
        return [at / 1e6 for at, level in self.board.levels() if level >= FULL - 3]

    def judge(self, requests):
        taps = self._taps()
        stalled = sum(stall > REPEATING for _, _, stall in requests)
        assert len(taps) <= len(requests) + stalled, f"{len(taps)} taps on the bus of {len(requests)}"
        first = taps[0] - requests[0][1]
        errors = []
        for requested, due, stall in requests:
            if due - requested < DUE_AHEAD or stall > DEAD_MAN / 2:
                continue
            near = min((tap - first - due for tap in taps), key=abs)
            permitted = INTERVAL / 2 + (2 * stall if stall > STALL else 0)
            assert abs(near) < permitted, f"no tap at {due - requests[0][1]:.1f} s; the stall was {stall:.3f} s"
            if stall <= STALL:
                errors.append((near, 2 * stall))
        self.count, self.skipped = len(requests), len(requests) - len(errors)
        assert 2 * self.skipped < self.count, f"the computer is too busy for {self.skipped} of {self.count} taps"
        # The first tap may be late.
        middle = sorted(error for error, _ in errors)[len(errors) // 2]
        apart = sorted(abs(error - middle) for error, _ in errors)
        excess = sorted(max(0, abs(error - middle) - permitted) for error, permitted in errors)
        index = len(errors) * 95 // 100
        self.late, self.worst = apart[index], apart[-1]
        assert excess[index] <= TOLERANCE, f"p95 of the time errors is {excess[index] * 1000:.1f} ms: {excess[-20:]}"

    def __str__(self):
        return (f"{self.count} taps of another program ({self.skipped} not judged): as requested, p95 "
                f"{self.late * 1000:.2f} ms, at most {self.worst * 1000:.2f} ms apart")


if __name__ == "__main__":
    tap(sys.argv[1], sys.argv[2:])
