"""The boards in the tests: a virtual board in real time, for `bridge`, and simulated boards in lock-step with the
worker of the page."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import namedtuple
from pathlib import Path

from boards import BRIDGE, IMAGE, ROOT, virtual_board
from browser import wait
from report import Failure, Skipped, expect_equal

sys.path.append(str(ROOT / "Tests" / "ArduinoBoard"))

from lock_step import LockStepBoard  # noqa: E402

Kind = namedtuple("Kind", "simulator image cycles_per_us")
KINDS = {
    "Uno": Kind("avr-board", IMAGE, 16),
    "Pico": Kind("pico-board", ROOT / "Firmware" / "boards" / "rp2040" / "rp2040.uf2", 48),
}
ACTUATOR = "VG1040003D"
# The time that a computer needs to set up a board with USB.
START_US = 1_000_000
# The time, in seconds, after which a page that does not advance the clock is considered to have ended.
QUIET_S = 0.5
# The exit status of the tool if it has lost its board, and the maximum number of further attempts.
LOST = 74
BUSY_MOST = 20


class Busy(Failure):
    """The failure of a tool that has lost its board because the computer temporarily did not run the tool or the
    board."""


class Cable:
    """The cable between the page and a board. Times are in microseconds of board time."""

    def __init__(self, board):
        self.board = board
        self.lock = threading.Lock()
        self.is_plugged = True
        # The number of times the port was opened.
        self.opened = 0
        # The time at which the page last sent bytes.
        self.written = 0
        # The real time at which the page last advanced the board.
        self.advanced = time.monotonic()

    def open(self):
        with self.lock:
            self.opened += 1
            self.board.tell("dtr on")

    def close(self):
        with self.lock:
            self.board.tell("dtr off")

    def run(self, duration, data):
        """Sends bytes to the board, and advances the board. Returns the bytes from the board, or None if the cable is
        unplugged."""
        with self.lock:
            if not self.is_plugged:
                return None
            if data:
                self.board.send(data)
                self.written = self.board.now
            self.board.run(duration)
            self.advanced = time.monotonic()
            return self.board.take_received()

    def pull(self):
        with self.lock:
            self.is_plugged = False

    def is_quiet(self):
        """Returns True if the page no longer advances the board."""
        return time.monotonic() - self.advanced > QUIET_S


def run_bridge(*arguments):
    """Runs the tool with the settings of a new user and without a server for the board."""
    if not BRIDGE.exists():
        raise Skipped(f"{BRIDGE} is not built")
    with tempfile.TemporaryDirectory() as home:
        names = ("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
        environment = {**os.environ, **dict.fromkeys(names, home), "BRIDGE_SERVER": ""}
        ended = subprocess.run(
            [str(BRIDGE), *map(str, arguments)], capture_output=True, text=True, timeout=60, env=environment)
    if ended.returncode == LOST:
        raise Busy(ended.stderr)
    expect_equal((ended.returncode, ended.stderr), (0, ""), f"the end of bridge {arguments[0]}")


def levels_during(board, play):
    """Returns the levels of the tool's board from the beginning of a playback until the board is at rest afterwards."""
    count = len(board.levels())
    play()
    wait(lambda: len(board.levels()) > count and board.levels()[-1][1] == 0, "rest")
    return board.levels()[count:]


def unless_busy(play):
    """Plays with the tool. Repeats the playback if the tool has lost its board."""
    for _ in range(BUSY_MOST):
        with contextlib.suppress(Busy):
            return play()
    return play()


def tool_levels(board, file):
    """Returns the levels that `bridge play` causes on a virtual board in real time."""
    return unless_busy(lambda: levels_during(board, lambda: run_bridge("play", "-q", "--port", board.path, file)))


@contextlib.contextmanager
def tool_board():
    """Yields a virtual board in real time for the tool, with a configured actuator.

    On a busy computer, a virtual board is only late. The clock of a simulated board would stop (Simulators/README), and
    the tool would then play faster by up to 1 % to follow its own clock (SPEC 5, SCALE).
    """
    with virtual_board() as board:
        unless_busy(lambda: run_bridge("actuator", "set", "--port", board.path, ACTUATOR))
        yield board


@contextlib.contextmanager
def simulated_board(name):
    """Yields a board in lock-step with the page, without a configured actuator."""
    kind = KINDS[name]
    board = LockStepBoard(kind.simulator, kind.image, cycles_per_us=kind.cycles_per_us)
    try:
        board.tell("dtr off")
        board.run(START_US)
        yield board
    finally:
        board.close()
