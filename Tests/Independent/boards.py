"""The devices under test, which run on pseudo-terminals and record a trace of the level register's values."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from actuator import tap_length
from core import Device
from host import lra_configuration
from player import FRACTION, Player
from protocol import P, ROOT
from report import Skipped
from messages import pack, unpack

PROGRAMS = Path(os.environ.get("INDEPENDENT_PROGRAMS", ROOT / ".build" / "debug"))
BRIDGE = PROGRAMS / "bridge"
SIMULATOR = ROOT / ".build" / "simulator" / "avr-board"
IMAGE = ROOT / "Firmware" / "boards" / "atmega328p" / "atmega328p.hex"
CYCLES_PER_US = 16
RTP_WRITE = "b402"
EXIT_S = 5


def own_levels(line):
    time, value = line.split()
    return int(time), int(value)


def virtual_levels(line):
    """Parses the times of START and STOP, the actuator, the bytes, and whether the bytes were acknowledged. Register 2
    contains the level."""
    start, _, _, content, acknowledged = line.split()
    if content.startswith(RTP_WRITE) and len(content) == 6 and acknowledged == "1":
        return int(start), int(content[4:], 16)
    return None


def image_levels(line):
    kind, *fields = line.split()
    if kind != "drive":
        return None
    return int(fields[0]) // CYCLES_PER_US, int(fields[1])


class Board:
    """A program that prints `device PATH`, serves the device at this path until the program is ended, and writes a
    trace."""

    def __init__(self, program, arguments, read_line):
        if not Path(program).exists():
            raise Skipped(f"{program} is not built")
        self.read_line = read_line
        self.trace = Path(tempfile.mkdtemp()) / "trace"
        command = [argument.replace("TRACE", str(self.trace)) for argument in arguments]
        self.process = subprocess.Popen([str(program), *command], stdout=subprocess.PIPE, text=True)
        self.path = self.process.stdout.readline().split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.trace.unlink(missing_ok=True)
        self.trace.parent.rmdir()

    def levels(self):
        """Returns all changes of the register's value as (time, value). Ignores an incomplete last line."""
        changes = []
        for line in self.trace.read_text().split("\n")[:-1]:
            change = self.read_line(line)
            if change and change[1] != (changes[-1][1] if changes else 0):
                changes.append(change)
        return changes


def own_board():
    program = Path(__file__).with_name("device.py")
    return Board(sys.executable, ["-B", str(program), "--trace", "TRACE"], own_levels)


def virtual_board():
    arguments = ["--unconfigured", "--trace", "TRACE"]
    return Board(PROGRAMS / "virtual-board", arguments, virtual_levels)


def image_board():
    return Board(SIMULATOR, ["--trace", "TRACE", str(IMAGE)], image_levels)


BOARDS = {"device.py": own_board, "virtual board": virtual_board, "simulated image": image_board}


def run_bridge(*arguments):
    if not BRIDGE.exists():
        raise Skipped(f"{BRIDGE} is not built")
    return subprocess.run([str(BRIDGE), *map(str, arguments)], capture_output=True, text=True, timeout=30)


def rendered(data, configuration=None):
    """Returns the changes (microseconds after the start, value) that result from event bytes in device.py, in virtual
    time."""
    device = Device(event_memory=len(data))
    payload = pack("CONFIGURE", actuator=0, **(configuration or lra_configuration()))
    settings = unpack("CONFIGURE", payload)
    now = start = P.CLOCK_AT_BOOT + 100_000
    device.actuator.configure(settings, P.CLOCK_AT_BOOT)
    device.player = Player(len(data), lambda sharpness: tap_length(settings, sharpness))
    device.player.feed(data)
    device.player.start(start, P.TICK_US << FRACTION)
    while now is not None and now < start + P.TIME_SPAN_US:
        device.last_frame = now
        device.advance(now)
        now = device.next_time() if device.player.state != P.STREAM_DRY else None
    return [(time - start, value) for time, value in device.levels]
