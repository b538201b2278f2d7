#!/usr/bin/env python3
"""Tests the example that plays a MIDI keyboard with the kernel's sequencer and `aseqdump`, on the virtual board. It is
Run it in the guest: midi.py BRIDGE

The keyboard is a port of the module snd-virmidi: the sequencer receives the bytes that are written to its device.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import steps
from service import LIMIT_S, Service, now_us
from steps import expect_equal, wait_for

ROOT = Path(__file__).resolve().parents[2]
# The maximum time, in this guest, between a byte from the keyboard and the corresponding write on the bus.
LATE_US = 20_000
NOTE_ON, CONTROLLER = 0x90, 0xB0


class Keyboard:
    """The first MIDI port of the kernel's virtual sound card."""

    def __init__(self):
        path = wait_for(lambda: next(Path("/dev/snd").glob("midiC*D0"), None), LIMIT_S, "the device of the keyboard")
        self.device = os.open(path, os.O_WRONLY)
        listed = subprocess.run(["aseqdump", "-l"], capture_output=True, text=True, timeout=LIMIT_S).stdout
        self.port = re.search(r"^ *(\d+:0) +Virtual Raw MIDI", listed, re.MULTILINE)[1]

    def send(self, *numbers):
        """Sends a message. Returns the time."""
        since = now_us()
        os.write(self.device, bytes(numbers))
        return since


class Session:
    def __init__(self, bridge):
        self.service = Service(bridge)
        self.keyboard = Keyboard()
        self.example = subprocess.Popen(
            [sys.executable, "-B", ROOT / "Clients/python/examples/midi.py", self.keyboard.port],
            env=os.environ | {"XDG_RUNTIME_DIR": str(self.service.folder), "PYTHONPATH": ROOT / "Clients/python"})

    def listens(self):
        wait_for(self.has_subscribed, LIMIT_S, "the subscription of aseqdump")

    def has_subscribed(self):
        return "Connecting To" in Path("/proc/asound/seq/clients").read_text()

    def taps(self):
        """Checks that a note with the greatest velocity is a tap with the greatest level."""
        since = self.keyboard.send(NOTE_ON, 60, 127)
        took = self.service.reach(255, since, "a note", LATE_US)
        print(f"   a note is on the bus after {took / 1000} ms", flush=True)
        wait_for(lambda: self.service.level() == 0, LIMIT_S, "the end of the tap")
        before = len(self.service.levels())
        self.keyboard.send(NOTE_ON, 60, 0)
        self.keyboard.send(NOTE_ON, 60, 64)
        wait_for(lambda: len(self.service.levels()) == before + 2, LIMIT_S, "the second tap")
        expect_equal([level for _, level in self.service.levels()[-2:]], [129, 0], "the levels of a softer note")

    def holds(self):
        """Checks that the modulation wheel sets the level, and that "all notes off" ends the level."""
        self.service.reach(129, self.keyboard.send(CONTROLLER, 1, 64), "the modulation wheel", LATE_US)
        self.service.reach(255, self.keyboard.send(CONTROLLER, 1, 127), "the modulation wheel", LATE_US)
        self.service.reach(0, self.keyboard.send(CONTROLLER, 123, 0), "all notes off", LATE_US)

    def rests(self):
        """Checks that the actuator comes to rest when Ctrl-C ends the example while a level plays."""
        self.service.reach(129, self.keyboard.send(CONTROLLER, 1, 64), "the modulation wheel", LATE_US)
        since = now_us()
        self.example.send_signal(signal.SIGINT)
        self.example.wait(LIMIT_S)
        self.service.reach(0, since, "the end of the example", 1_000_000)

    def steps(self):
        return [
            ("the example listens to the keyboard", self.listens),
            ("a note is a tap with its velocity", self.taps),
            ("the modulation wheel sets a level", self.holds),
            ("the end of the example brings the actuator to rest", self.rests),
        ]


if __name__ == "__main__":
    session = Session(Path(sys.argv[1]).resolve())
    try:
        sys.exit(0 if steps.run(session.steps()) else 1)
    finally:
        session.service.process.kill()
        session.example.kill()
