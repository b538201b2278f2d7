"""`bridge studio` with a virtual board, a separate folder, and a trace of the values of the level register."""

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from boards import BRIDGE, RTP_WRITE
from browser import WAIT_S, wait
from report import Skipped


def event(kind, time, intensity, sharpness, **more):
    parameters = {"HapticIntensity": intensity, "HapticSharpness": sharpness}
    return {"Event": {
        "Time": time, "EventType": f"Haptic{kind}", **more,
        "EventParameters": [{"ParameterID": name, "ParameterValue": value} for name, value in parameters.items()]}}


def tap(time, intensity, sharpness=0.5):
    return event("Transient", time, intensity, sharpness)


def buzz(time, duration, intensity, sharpness=0.5):
    return event("Continuous", time, intensity, sharpness, EventDuration=duration)


def ahap(*entries):
    return json.dumps({"Version": 1.0, "Pattern": entries}, indent=2) + "\n"


class Tool:
    """Runs the tool until the end of the context."""

    def __init__(self, path=".", board=("--virtual",), **files):
        if not BRIDGE.exists():
            raise Skipped(f"{BRIDGE} is not built")
        self.home = tempfile.TemporaryDirectory()
        self.folder = Path(self.home.name) / "patterns"
        self.folder.mkdir()
        for name, text in files.items():
            self.file(f"{name}.ahap").write_text(text)
        config = Path(self.home.name) / "haptic-bridge"
        config.mkdir(mode=0o700)
        (config / "settings.json").write_text('{ "haptics": true }')
        self.trace = Path(self.home.name) / "trace"
        self.environment = {
            **os.environ, "XDG_CONFIG_HOME": self.home.name, "XDG_RUNTIME_DIR": self.home.name,
            "XDG_STATE_HOME": self.home.name}
        self.environment.pop("BRIDGE_SERVER", None)
        self.command = [str(BRIDGE.resolve()), "studio", *board, "--no-browser", *self.tracing(board), path]
        self.start()

    def start(self, *options):
        """Starts the tool. `url` is then the address of the page."""
        self.process = subprocess.Popen(
            [*self.command, *options], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True)
        self.url = self.next_url()

    def next_url(self):
        """Returns the next address that the tool prints."""
        return self.process.stdout.readline().strip()

    @property
    def port(self):
        return urlsplit(self.url).port

    def tracing(self, board):
        return ["--trace", str(self.trace)] if "--virtual" in board else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.home.cleanup()

    def file(self, name):
        return self.folder / name

    def read(self, name):
        return self.file(name).read_text()

    def pattern(self, name):
        return json.loads(self.read(name))["Pattern"]

    def end(self):
        """Interrupts the tool, as Ctrl-C does. Returns the exit status of the tool."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(WAIT_S)

    def writes(self):
        """Returns all levels that have been written so far, each with its board time in seconds."""
        if not self.trace.exists():
            return []
        writes = [line.split()[:2] for line in self.trace.read_text().split("\n")[:-1]]
        return [(int(time) / 1e6, int(write[len(RTP_WRITE):], 16)) for time, write in writes
                if write.startswith(RTP_WRITE) and len(write) == len(RTP_WRITE) + 2]

    def levels(self):
        """Returns all levels that have been written so far."""
        return [level for _, level in self.writes()]

    def pulses(self, count=0):
        """Returns the number of rises of the level from 0 after the first `count` writes."""
        levels = [0, *self.levels()[count:]]
        return sum(before == 0 and level > 0 for before, level in zip(levels, levels[1:]))

    def wait_for_level(self, count, what):
        """Waits until a level above 0 has been written after the first `count` writes."""
        wait(lambda: any(self.levels()[count:]), f"{what} is not felt")

    def wait_for_rest(self, what="rest", seconds=WAIT_S):
        wait(lambda: not (self.levels() or [0])[-1], what, seconds)
