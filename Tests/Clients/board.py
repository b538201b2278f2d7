"""A virtual board that `bridge serve` serves, and the levels on its bus."""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path


class ServedBoard:
    """A served board in a folder of its own. `environment` is that of the programs that use it.

    `options` are those of `bridge serve`, and `board` those of the virtual board. If `is_configured` is False, the
    first actuator keeps the configuration with which the virtual board starts.
    """

    def __init__(self, programs, *options, is_served=True, is_configured=True, board=()):
        self.programs = Path(programs)
        self.home = tempfile.TemporaryDirectory()
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.home.name, XDG_CONFIG_HOME=f"{self.home.name}/config",
            XDG_STATE_HOME=f"{self.home.name}/state")
        self.environment.pop("BRIDGE_PORT", None)
        self.key = f"{self.home.name}/config/haptic-bridge/key"
        self.trace = Path(self.home.name, "trace")
        self.processes = [subprocess.Popen(
            [self.programs / "virtual-board", "--trace", self.trace, *board], stdout=subprocess.PIPE, text=True)]
        self.port = self.processes[0].stdout.readline().split()[1]
        if is_configured:
            self.run("actuator", "set", "VG1040003D", "--port", self.port)
        if is_served:
            self.serve(*options)

    def run(self, *words):
        subprocess.run([self.programs / "bridge", *words], check=True, env=self.environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def serve(self, *options):
        """Serves the board, and waits until it is served."""
        self.server = subprocess.Popen(
            [self.programs / "bridge", "serve", "--json", "--port", self.port, *options],
            stdout=subprocess.PIPE, text=True, env=self.environment)
        self.processes.append(self.server)
        self.served = json.loads(self.server.stdout.readline())
        self.address = self.served.get("tcp")

    def levels(self, actuator=0):
        """Returns the changes of the level of an actuator: the time of the board in microseconds, and the level."""
        changes, last = [], 0
        for line in self.trace.read_text().splitlines():
            words = line.split()
            # A write to register 02 of the chip at address 5A. In a read, the address follows.
            is_write = len(words) == 5 and words[3].startswith("b402") and len(words[3]) == 6 and words[4] == "1"
            if is_write and words[2] == str(actuator):
                level = int(words[3][4:], 16)
                if level != last:
                    changes.append((int(words[1]), level))
                last = level
        return changes

    def wait_for_rest(self, count=1, timeout=10):
        """Waits until the level has changed at least `count` times, and is 0."""
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
