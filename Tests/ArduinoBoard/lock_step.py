"""The independent host of Tests/Independent, which is connected to a simulated board that runs a sketch in virtual
time."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Independent"))

from host import Host, NoAnswer  # noqa: E402
from session import Session  # noqa: E402

STEP_US = 500


class LockStepBoard:
    """A simulator that runs in lock-step with the host. Times are in microseconds since power-up."""

    def __init__(self, simulator, image, *options, cycles_per_us=16):
        self.cycles_per_us = cycles_per_us
        self.process = subprocess.Popen(
            [str(ROOT / ".build" / "simulator" / simulator), "--lock-step", *options, str(image)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.now = 0
        self.received = bytearray()
        self.drives = []
        self.driven = {}
        self.pins = []
        self.cells = []
        self.levels = []
        self.answers = {}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def tell(self, command):
        self.process.stdin.write(command + "\n")

    def send(self, data):
        self.tell(f"rx {self.now * self.cycles_per_us} {data.hex()}")

    def run(self, duration_us):
        self.now += duration_us
        self.tell(f"run {self.now * self.cycles_per_us}")
        self.process.stdin.flush()
        for line in self.process.stdout:
            kind, *fields = line.split()
            if kind == "at":
                return
            self.take(kind, fields)
        raise EOFError(f"the simulator ended with status {self.process.wait()}")

    def take(self, kind, fields):
        if kind == "tx":
            self.received += bytes.fromhex(fields[1])
        elif kind == "drive":
            self.drives.append((int(fields[0]) // self.cycles_per_us, int(fields[1])))
            self.driven[fields[2] if len(fields) > 2 else "0"] = int(fields[1])
        elif kind == "pin":
            self.pins.append((int(fields[0]) // self.cycles_per_us, int(fields[2])))
        elif kind == "i2c" and fields[2].startswith("B402") and len(fields[2]) == 6:
            self.levels.append((int(fields[0]) / self.cycles_per_us, int(fields[2][4:], 16)))
        elif kind == "eeprom":
            self.cells.append(int(fields[1]))
        elif kind in ("stack", "led"):
            self.answers[kind] = int(fields[0])

    def take_received(self):
        data = bytes(self.received)
        self.received.clear()
        return data

    def lit_us(self):
        """Returns the total time for which the LED has been lit."""
        self.tell("led")
        self.run(0)
        return self.answers["led"] / self.cycles_per_us

    def stack(self):
        """Returns the maximum size of the stack so far."""
        self.tell("stack")
        self.run(0)
        return self.answers["stack"]


class LockStepHost(Host):
    """A host that runs the simulated board while it waits."""

    def __init__(self, board, session=0x12345678):
        self.board = board
        self.session = Session(session)

    def now(self):
        return self.board.now

    def step(self):
        output = self.session.take_output()
        if output:
            self.board.send(output)
        self.board.run(STEP_US)
        self.session.receive(self.board.take_received(), self.now())
        self.session.poll(self.now())

    def wait(self, condition, seconds, what):
        deadline = self.now() + seconds * 1_000_000
        while not condition():
            if self.now() > deadline:
                raise NoAnswer(what)
            self.step()

    def keep_alive(self, seconds):
        end = self.now() + round(seconds * 1_000_000)
        while self.now() < end:
            self.step()

    def fall_silent(self, seconds):
        """Stops sending for some time. Returns the time at which the last message was sent."""
        self.session.queries.clear()
        self.session.keeps_alive = False
        self.session.take_output()
        self.keep_alive(seconds)
        return self.session.last_sent
