"""A simulated Pico whose cable is connected to the guest's kernel, and functions that observe the Pico and the
kernel."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import cable
import drive

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = ROOT / ".build" / "simulator" / "pico-board"
IMAGE = ROOT / "Firmware" / "boards" / "rp2040" / "rp2040.uf2"
CYCLES_PER_US = 48
SERIAL_PORT, DRIVE_PORT = 0, 1  # of the host controller
LOOK_S = 0.02
STORY = 12
EXIT_S = 5


class Board:
    """The simulator, its cable, and the drive that it provides in BOOTSEL."""

    def __init__(self, *options):
        self.folder = Path(tempfile.mkdtemp())
        self.trace = self.folder / "trace"
        self.control = self.folder / "control"
        self.drive_folder = self.folder / "RPI-RP2"
        os.mkfifo(self.control)
        self.cable = cable.Cable(str(self.folder / "usb"), SERIAL_PORT)
        self.process = subprocess.Popen(
            [SIMULATOR, "--usbip", self.cable.path, "--trace", self.trace, "--control", self.control,
             "--bootsel", self.folder, *options, IMAGE],
            stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        threading.Thread(target=self.show_drives, daemon=True).start()

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder)

    def command(self, line):
        self.control.write_text(line + "\n")

    # The simulator processes blocks by the boot ROM's rules, but has a folder instead of a drive. This drive copies the
    # blocks to the folder in the order in which the kernel writes them.
    def show_drives(self):
        while self.process.poll() is None:
            if self.drive_folder.exists():
                ours, kernels = socket.socketpair()
                drive.start(ours, self.hand_over)
                cable.attach(kernels, DRIVE_PORT)
                kernels.close()
                while self.drive_folder.exists():
                    time.sleep(LOOK_S)
                cable.detach(DRIVE_PORT)
            time.sleep(LOOK_S)

    def hand_over(self, blocks):
        (self.drive_folder / "blocks.uf2").write_bytes(blocks)

    def seen(self, kind):
        """Returns the fields of all complete lines in the trace that begin with a keyword."""
        lines = self.trace.read_text().split("\n")[:-1]
        return [line.split()[1:] for line in lines if line.split()[0] == kind]

    def levels(self):
        """Returns a (cycle, drive) pair for each change of the actuator's drive."""
        return [(int(cycle), int(value)) for cycle, value in self.seen("drive")]

    def story(self):
        """Returns the state of the simulator and its last messages, without the traffic on its buses."""
        status = self.process.poll()
        lines = self.trace.read_text().split("\n")[:-1]
        told = [line for line in lines if not re.match(r"i2c |drive |usb \d+ out ", line)]
        return ["runs" if status is None else f"ended with status {status}", *told[-STORY:]]

    def is_at_rest(self):
        levels = self.levels()
        return not levels or levels[-1][1] == 0
