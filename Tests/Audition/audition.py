"""`bridge audition` with a virtual board, and a record of the levels that the board writes."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Independent"))

from boards import BRIDGE, PROGRAMS, Board, virtual_levels  # noqa: E402
from report import expect  # noqa: E402

WAIT_S = 10


def wait(condition, what, seconds=WAIT_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.0002)
    expect(False, f"{what} did not occur within {seconds} s")


class Audition:
    """`bridge audition` with a separate virtual board."""

    def __init__(self, *arguments, state=None, haptics=True):
        self.folder = tempfile.TemporaryDirectory()
        self.state = state or self.folder.name
        self.board = Board(PROGRAMS / "virtual-board", ["--trace", "TRACE"], virtual_levels)
        config = Path(self.folder.name) / "haptic-bridge"
        config.mkdir(mode=0o700)
        (config / "settings.json").write_text('{ "haptics": %s }' % str(haptics).lower())
        environment = {
            **os.environ, "XDG_CONFIG_HOME": self.folder.name, "XDG_RUNTIME_DIR": self.folder.name,
            "XDG_STATE_HOME": self.state}
        environment.pop("BRIDGE_SERVER", None)
        self.out = (Path(self.folder.name) / "out").open("w+")
        self.tool = subprocess.Popen(
            [str(BRIDGE), "audition", *map(str, arguments), "--port", self.board.path], env=environment,
            stdin=subprocess.PIPE, stdout=self.out, stderr=subprocess.STDOUT, text=True)
        self.reader = self.board.trace.open()
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.tool.poll() is None:
            self.tool.kill()
        self.tool.wait()
        self.reader.close()
        self.out.close()
        self.board.__exit__()
        time.sleep(0.05)
        self.folder.cleanup()

    @property
    def output(self):
        return Path(self.out.name).read_text()

    def levels(self):
        """Returns all levels that have been written so far."""
        for line in iter(self.reader.readline, ""):
            change = virtual_levels(line) if line.endswith("\n") else None
            if change:
                self.seen.append(change[1])
        return self.seen

    def wait_for_output(self, text):
        wait(lambda: text in self.output or self.tool.poll() is not None, f"{text!r} in {self.output!r}")
        expect(text in self.output, f"{text!r} is not in {self.output!r}")

    def wait_for_level(self, what="a level"):
        """Waits until a level above 0 has been written. Returns the time at which the level was detected."""
        count = len(self.levels())
        wait(lambda: any(self.levels()[count:]), f"{what} in {self.output!r}")
        return time.monotonic()

    def wait_for_rest(self, what="rest", seconds=WAIT_S):
        wait(lambda: not (self.levels() or [0])[-1], what, seconds)

    def end(self):
        """Interrupts the tool, as Ctrl-C does. Returns the exit status of the tool."""
        self.tool.send_signal(signal.SIGINT)
        return self.tool.wait(WAIT_S)
