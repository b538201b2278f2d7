#!/usr/bin/env python3
"""Tests `bridge` and the image for the Pico with Linux's own drivers. Run it in the guest:
check.py BRIDGE USBTEST, where USBTEST is the kernel's module of that name

Prints a line for each step, and exits with 1 if a step fails.
"""

import json
import os
import re
import subprocess
import sys
import termios
from pathlib import Path

import battery
import steps
from board import CYCLES_PER_US, ROOT, STORY, Board
from steps import expect, expect_equal, wait_for

BRIDGE = Path(sys.argv[1])
USBTEST = Path(sys.argv[2])
HEADER = ROOT / "Firmware" / "protocol" / "bridge_protocol.h"
TOUR = ROOT / "Sources" / "AHAP" / "Patterns" / "tour.ahap"
PORT = Path("/dev/ttyACM0")
DEVICE = Path("/sys/class/tty/ttyACM0/device")
DISK = Path("/dev/sda1")
MOUNTED = Path("/media/RPI-RP2")

# The limit is long, because the guest's processors are emulated, and one of them in turn simulates the board.
LIMIT_S = 20
# As in ExitStatus.swift.
INPUT_OUTPUT, NO_BOOT_LOADER = 74, 80
# The time to brake an actuator after the dead-man stop.
BRAKE_US = 200_000


def dead_man_us():
    return int(re.search(r"BRIDGE_DEAD_MAN_US (\d+)", HEADER.read_text()).group(1))


def kernel_story():
    """Returns the last messages of the kernel."""
    return subprocess.run(["dmesg"], capture_output=True, text=True).stdout.splitlines()[-STORY:]


def bridge(*arguments, status=0):
    """Returns the standard output and error of `bridge`, which must end with the given status."""
    command = [BRIDGE, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    expect_equal(result.returncode, status, f"the status of {arguments[0]} ({result.stderr.strip()})")
    return result.stdout, result.stderr


def bridge_json(*arguments):
    return json.loads(bridge(*arguments, "--json")[0].splitlines()[-1])


class Session:
    """The steps with one board, which runs from the first step to the last step."""

    def __init__(self, board):
        self.board = board

    # ---- The port ----

    def appears(self):
        self.board.cable.plug()
        wait_for(PORT.exists, LIMIT_S, PORT)
        usb = DEVICE.resolve().parent
        expect_equal((DEVICE / "driver").resolve().name, "cdc_acm", "the driver")
        expect_equal((usb / "idVendor").read_text().strip(), "2e8a", "idVendor")
        expect_equal((usb / "idProduct").read_text().strip(), "000a", "idProduct")

    def is_listed(self):
        ports = [port for port in bridge_json("list", "--probe")["ports"] if port["path"] == str(PORT)]
        expect_equal(len(ports), 1, "the number of such ports")

    def is_configured(self):
        bridge("actuator", "set", "VG1040003D")

    # ---- Playing ----

    def plays(self):
        seen = len(self.board.levels())
        expect_equal(bridge_json("play", TOUR)["ending"], "played", "the ending")
        expect(len(self.board.levels()) > seen, "the drive of the actuator has not changed")
        expect(self.board.is_at_rest(), "the actuator is not at rest afterwards")

    def pull_while_playing(self):
        """Unplugs the cable while a pattern plays. Returns the cycle."""
        seen = len(self.board.levels())
        playing = subprocess.Popen([BRIDGE, "play", TOUR], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        wait_for(lambda: len(self.board.levels()) > seen + 5, LIMIT_S, "a level")
        self.board.cable.pull()
        _, error = playing.communicate(timeout=LIMIT_S)
        expect_equal(playing.returncode, INPUT_OUTPUT, f"the status of play ({error.strip()})")
        expect(str(PORT) in error, f"the error does not name the port: {error}")
        wait_for(lambda: not PORT.exists(), LIMIT_S, f"the end of {PORT}")
        detached = [int(cycle) for cycle, what, *_ in self.board.seen("usb") if what == "detached"]
        return detached[-1]

    def pull_with_power(self):
        """Unplugs the cable of a board with its own supply, which keeps its power."""
        pulled = self.pull_while_playing()
        wait_for(self.board.is_at_rest, LIMIT_S, "rest")
        late_us = (self.board.levels()[-1][0] - pulled) // CYCLES_PER_US
        expect(late_us <= dead_man_us() + BRAKE_US, f"the actuator came to rest {late_us} us after the unplugging")

    def pull_without_power(self):
        """Unplugs the cable of a board without its own supply, which loses its power."""
        self.pull_while_playing()
        self.board.command("power off")
        wait_for(self.board.is_at_rest, LIMIT_S, "rest")
        self.board.command("power on")

    def plug_again(self):
        self.board.cable.plug()
        wait_for(PORT.exists, LIMIT_S, PORT)

    # ---- Flashing ----

    def mount(self):
        """Mounts the drive, as a desktop environment does."""
        wait_for(DISK.exists, LIMIT_S, DISK)
        MOUNTED.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "vfat", DISK, MOUNTED], check=True, timeout=LIMIT_S)

    def unmount(self):
        wait_for(lambda: not DISK.exists(), LIMIT_S, f"the end of {DISK}")
        subprocess.run(["umount", MOUNTED], check=True, timeout=LIMIT_S)

    def boot_loader_entries(self):
        return len(self.board.seen("bootsel"))

    def flashes_by_message(self):
        entries = self.boot_loader_entries()
        flashing = subprocess.Popen([BRIDGE, "flash", "--board", "pico", "--json"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.mount()
        output, error = flashing.communicate(timeout=2 * LIMIT_S)
        expect_equal(flashing.returncode, 0, f"the status of flash ({error.strip()})")
        expect(json.loads(output)["board"], "the board is not described")
        expect_equal(self.boot_loader_entries(), entries + 1, "the number of entries into BOOTSEL")
        self.unmount()

    def is_touched(self):
        """Opens the port at 1,200 baud and closes it, as the Arduino IDE does."""
        entries = self.boot_loader_entries()
        port = os.open(PORT, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        modes = termios.tcgetattr(port)
        modes[4] = modes[5] = termios.B1200
        termios.tcsetattr(port, termios.TCSANOW, modes)
        os.close(port)
        wait_for(lambda: self.boot_loader_entries() > entries, LIMIT_S, "BOOTSEL")
        wait_for(DISK.exists, LIMIT_S, DISK)
        wait_for(lambda: not PORT.exists(), LIMIT_S, f"the end of {PORT}")

    def is_told_to_mount(self):
        _, error = bridge("flash", "--board", "pico", status=NO_BOOT_LOADER)
        expect(str(DISK) in error, f"the error does not name the device: {error}")

    def flashes_a_waiting_drive(self):
        self.mount()
        bridge("flash", "--board", "pico")
        self.unmount()

    def steps(self):
        return [
            ("a board that is plugged in is a port of cdc_acm", self.appears),
            ("list finds it", self.is_listed),
            ("the actuator is configured", self.is_configured),
            ("play plays a pattern", self.plays),
            ("play ends when the cable is unplugged, and a board with its own power stops", self.pull_with_power),
            ("the port returns when the board is plugged in again", self.plug_again),
            ("play plays again", self.plays),
            ("play ends when the cable is unplugged from a board without its own power", self.pull_without_power),
            ("the port returns when the board is plugged in again", self.plug_again),
            ("play plays again", self.plays),
            ("flash starts BOOTSEL from the firmware, and copies to the mounted drive", self.flashes_by_message),
            ("play plays with the previous configuration", self.plays),
            ("opening the port at 1200 baud starts BOOTSEL", self.is_touched),
            ("flash explains how to mount a drive that is not mounted", self.is_told_to_mount),
            ("flash copies to a drive that is already mounted", self.flashes_a_waiting_drive),
            ("play plays with the previous configuration", self.plays),
        ]


def battery_steps(board):
    def runs():
        board.cable.plug()
        battery.run(wait_for(battery.find_device, LIMIT_S, "the device"), USBTEST)

    return [("the kernel's own tests of USB devices pass", runs)]


def run(make_steps, *options):
    """Runs steps with a new board. Returns True if all have passed."""
    board = Board(*options)
    try:
        is_right = steps.run(make_steps(board))
        if not is_right:
            print("the board:", *board.story(), sep="\n   ", flush=True)
            print("the kernel:", *kernel_story(), sep="\n   ", flush=True)
    finally:
        board.cable.pull()
        board.end()
    return is_right


def main():
    is_right = run(lambda board: Session(board).steps())
    is_right &= run(battery_steps, "--usbtest")
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
