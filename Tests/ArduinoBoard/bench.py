"""A simulated board that runs a sketch. The first argument of the programs that use this module is the folder with the
sketches."""

import sys
from collections import namedtuple
from pathlib import Path

from lock_step import LockStepBoard, LockStepHost

import events  # from Tests/Independent, like the following modules
from events import Event, encode_events
from host import lra_configuration, ms
from protocol import P
from report import expect, expect_equal

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else None
REST_LIMIT_US = 300_000
HELD = encode_events([Event(0, P.OP_LEVEL, (200,)), Event(ms(4000), events.END, ())])

# The expected contents of a board's WELCOME, and the features of the board. `watch`: a timer disables the drivers if a
# sketch hangs.
Board = namedtuple("Board", "simulator suffix window actuators storage watch board_id")
BOARDS = {
    "Uno": Board("avr-board", ".hex", P.FRAME_MAX, 1, True, True, 0),
    "ESP32": Board("sketch-board", "-esp32.so", 192, 8, True, True, 0xA1B2C3D4E5F6),
    "UNO R4": Board("sketch-board", "-renesas.so", 192, 8, True, False, 0),
    "Teensy": Board("sketch-board", "-teensy.so", 192, 8, True, True, 0),
    "nRF52": Board("sketch-board", "-nrf52.so", 192, 8, False, True, 0),
    "SAMD": Board("sketch-board", "-samd.so", 192, 8, False, False, 0),
}


class Bench:
    """A board under test, and the host that is connected to the board."""

    def __init__(self, name, sketch="Bridge", *options):
        self.name, self.facts = name, BOARDS[name]
        image = FOLDER / f"{sketch}{self.facts.suffix}"
        self.board = LockStepBoard(self.facts.simulator, image, *options)
        self.host = None

    def close(self):
        self.board.close()

    def figure(self, what, value):
        name = self.name.lower().replace(" ", "_")
        print(f"figure arduino_{name}_{what} {value}")

    def connect(self, session=0x12345678):
        self.board.run(100_000)
        self.board.take_received()
        self.host = LockStepHost(self.board, session)
        self.host.connect()
        return self.host

    def prepare(self):
        self.connect().configure(**lra_configuration())
        return self.host

    def begin(self, data):
        self.host.open_stream()
        self.host.send_events(data)
        self.host.start()

    def hold(self):
        """Plays a constant level."""
        self.prepare()
        self.begin(HELD)
        self.host.keep_alive(0.3)
        self.expect_driving(True)
        return self.host

    def restart(self):
        self.board.tell("power off")
        self.board.run(10_000)
        self.board.tell("power on")
        return self.connect(session=0x87654321)

    def expect_driving(self, driving):
        expect_equal(self.board.drives[-1][1] != 0, driving, "whether the chip is driven")

    def expect_rest_after_silence(self, figure):
        silent = self.host.fall_silent(0.6)
        self.expect_driving(False)
        taken = self.board.drives[-1][0] - silent
        self.figure(figure, taken)
        expect(taken <= REST_LIMIT_US, f"the actuator was driven for {taken} us after the last frame")
