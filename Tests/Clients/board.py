"""A virtual board that `bridge serve` serves, and a record of the levels on its bus."""

import functools
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from stalls import be_urgent


class ServedBoard:
    """A served board with its own folder. `environment` contains the environment variables for the programs that
    use the board.

    `options` contains options of `bridge serve`, and `board` contains options of the virtual board. If `is_configured`
    is False, the first actuator keeps the virtual board's initial configuration. `simulator` consists of
    the program and the image of a simulated Uno, which replaces the virtual board. If `is_urgent` is True,
    the board and its server have a high priority, so that other programs delay them less.
    """

    def __init__(self, programs, *options, is_served=True, is_configured=True, board=(), simulator=None,
                 is_urgent=False):
        self.programs = Path(programs)
        self.home = tempfile.TemporaryDirectory()
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.home.name, XDG_CONFIG_HOME=f"{self.home.name}/config",
            XDG_STATE_HOME=f"{self.home.name}/state")
        self.environment.pop("BRIDGE_PORT", None)
        self.start = functools.partial(
            subprocess.Popen, stdout=subprocess.PIPE, text=True, preexec_fn=be_urgent if is_urgent else None)
        self.key = f"{self.home.name}/config/haptic-bridge/key"
        self.trace = Path(self.home.name, "trace")
        program, *image = simulator or [self.programs / "virtual-board"]
        self.processes = [self.start([program, "--trace", self.trace, *board, *image])]
        self.port = self.processes[0].stdout.readline().split()[1]
        if is_configured:
            self.run("actuator", "set", "VG1040003D", "--port", self.port)
        if is_served:
            self.serve(*options)

    @property
    def process_ids(self):
        """The process ids of the board and its server."""
        return [process.pid for process in self.processes]

    def run(self, *words):
        subprocess.run([self.programs / "bridge", *words], check=True, env=self.environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def serve(self, *options):
        """Starts to serve the board, and waits until clients can connect."""
        self.server = self.start(
            [self.programs / "bridge", "serve", "--json", "--port", self.port, *options], env=self.environment)
        self.processes.append(self.server)
        self.served = json.loads(self.server.stdout.readline())
        self.address = self.served.get("tcp")

    def writes(self):
        """Returns the writes to the bus, each with the board's time in microseconds, the actuator, and the bytes."""
        for line in self.trace.read_text().splitlines():
            words = line.split()
            if len(words) == 5 and words[4] == "1":
                yield int(words[1]), int(words[2]), words[3]
            elif len(words) == 6 and words[0] == "i2c" and words[4] == "ack":  # The simulated Uno.
                yield int(words[2]) // 16, 0, words[3]

    def levels(self, actuator=0):
        """Returns the changes of an actuator's level, each with the board's time in microseconds and the new level."""
        changes, last = [], 0
        for time, written, content in self.writes():
            # These bytes write register 02 of the chip at address 5A. A read repeats the address after these bytes.
            if written == actuator and content.lower().startswith("b402") and len(content) == 6:
                level = int(content[4:], 16)
                if level != last:
                    changes.append((time, level))
                last = level
        return changes

    def wait_for_rest(self, count=1, timeout=10):
        """Waits until the level is 0 after at least `count` changes."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            levels = self.levels()
            if len(levels) >= count and levels[-1][1] == 0:
                return levels
            time.sleep(0.05)
        raise TimeoutError(f"the level did not come to rest: {self.levels()[-5:]}")

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
            process.stdout.close()
        self.home.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
