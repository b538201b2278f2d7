"""Plays on the virtual board with independent senders of Open Sound Control: oscsend and oscsendfile of liblo, and the
Python package python-osc.

check_osc.py FOLDER_OF_THE_PROGRAMS
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from pythonosc.osc_bundle_builder import OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder
from pythonosc.udp_client import SimpleUDPClient


# The output level of the actuator for an input level of 0.5.
REST, PART, FULL = range(0, 1), range(1, 255), range(255, 256)


class Board:
    """A virtual board, and the tool that plays the senders' messages on the board."""

    def __init__(self, folder, *options):
        self.home = tempfile.TemporaryDirectory()
        environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.home.name, XDG_CONFIG_HOME=self.home.name,
            XDG_STATE_HOME=self.home.name)
        self.trace = os.path.join(self.home.name, "trace")
        self.board = subprocess.Popen(
            [f"{folder}/virtual-board", "--trace", self.trace], stdout=subprocess.PIPE, text=True)
        atexit.register(self.board.kill)
        port = self.board.stdout.readline().split()[1]
        subprocess.run(
            [f"{folder}/bridge", "actuator", "set", "VG1040003D", "--port", port], check=True,
            env=environment, stdout=subprocess.DEVNULL)
        self.tool = subprocess.Popen(
            [f"{folder}/bridge", "serve", "--osc", "0", "--json", "--port", port, *options],
            stdout=subprocess.PIPE, text=True, env=environment)
        atexit.register(self.tool.kill)
        self.port = int(json.loads(self.tool.stdout.readline())["osc"].split(":")[1])

    def level(self):
        """Returns the last level that was written to the chip's register 2."""
        level = 0
        with open(self.trace) as file:
            for line in file:
                words = line.split()
                # A read has more bytes, because the address of the chip is repeated before the value.
                if len(words) == 5 and words[3].startswith("b402") and len(words[3]) == 6:
                    level = int(words[3][4:6], 16)
        return level

    def expect(self, levels, what, within=10):
        end = time.monotonic() + within
        while self.level() not in levels:
            if time.monotonic() > end:
                sys.exit(f"{what}: the level is {self.level()}, expected one of {levels}")
            time.sleep(0.01)
        print(f"{what}: as expected")

    def end(self):
        self.tool.send_signal(signal.SIGTERM)
        report = json.loads(self.tool.stdout.readlines()[-1])
        self.tool.wait()
        assert self.level() == 0
        self.board.terminate()
        self.board.wait()
        return report


def oscsend(board, *words):
    subprocess.run(["oscsend", "127.0.0.1", str(board.port), *words], check=True)


def liblo(folder):
    board = Board(folder)
    oscsend(board, "/haptic/level", "f", "0.5")
    board.expect(PART, "oscsend: a float")
    oscsend(board, "/haptic/level", "d", "1")
    board.expect(FULL, "oscsend: a double")
    oscsend(board, "/haptic/level", "if", "0", "0.5")
    board.expect(REST, "oscsend: an integer and a float")
    oscsend(board, "/haptic/level", "T")
    board.expect(FULL, "oscsend: true")
    oscsend(board, "/haptic/stop")
    board.expect(REST, "oscsend: no argument")
    oscsend(board, "/haptic/play", "s", "success")
    score = os.path.join(board.home.name, "score.osc")
    with open(score, "w") as file:
        file.write(
            "00000000.00000000 /haptic/level f 1\n"
            "00000000.80000000 /haptic/level f 0.5\n")
    subprocess.run(
        ["oscsendfile", f"osc.udp://127.0.0.1:{board.port}/", score], check=True,
        stdout=subprocess.DEVNULL)
    board.expect(PART, "oscsendfile: a file of timed messages")
    report = board.end()
    assert report["malformed"] == 0 and report["unknown"] == 0, report


def python_osc(folder):
    board = Board(folder, "--osc-rules", "vrchat")
    client = SimpleUDPClient("127.0.0.1", board.port)
    client.send_message("/haptic/level", [0.5, 0.25])
    board.expect(PART, "python-osc: floats")
    client.send_message("/haptic/level", 0.0)
    board.expect(REST, "python-osc: zero")
    client.send_message("/avatar/parameters/proximity_01", 1.0)
    board.expect(FULL, "python-osc: VRChat's map")
    client.send_message("/avatar/change", "avtr_00000000")
    board.expect(REST, "python-osc: another avatar")
    start = time.time() + 1
    for offset, value in [(0, 1.0), (0.25, 0.5), (0.5, 0.0)]:
        message = OscMessageBuilder("/haptic/level")
        message.add_arg(value)
        bundle = OscBundleBuilder(start + offset)
        bundle.add_content(message.build())
        client.send(bundle.build())
    for levels in (FULL, PART, REST):
        board.expect(levels, "python-osc: bundles with times")
    assert time.time() >= start + 0.5, "a bundle was played before its time"
    client._sock.sendto(b"/broken", ("127.0.0.1", board.port))
    client.send_message("/haptic/level", 1.0)
    board.expect(FULL, "python-osc: after a datagram that is not OSC")
    report = board.end()
    assert report["malformed"] == 1 and report["late"] == 0 and report["refused"] == 0, report


def reahaptic(folder):
    """Sends the messages that ReaHaptic sends while REAPER plays, pauses and seeks."""
    board = Board(folder, "--osc-rules", "reahaptic")
    client = SimpleUDPClient("127.0.0.1", board.port)
    # A clip that has no points for the frequency ends with a superfluous comma.
    clip = ('{\n  "amplitude": [\n    {\n      "time": 0.000000, "amplitude": 1.000000\n    },\n'
            '    {\n      "time": 5.000000, "amplitude": 1.000000\n    }\n  ],\n}')
    client.send_message("/InstantHapticJson", f"name: hit\n{clip}")
    board.expect(FULL, "ReaHaptic: the edited clip")
    client.send_message("/StartStop", "stopped")
    board.expect(REST, "ReaHaptic: stopped")
    start = time.monotonic()
    client.send_message("/StartStop", "started")
    client.send_message("/HapticJson", f"SendTime: 13.0\n{clip}")
    client.send_message("/CursorPos", 12.0)
    board.expect(FULL, "ReaHaptic: a clip before its time")
    assert time.monotonic() >= start + 1, "a clip was played before its time"
    client.send_message("/StartStop", "moved")
    board.expect(REST, "ReaHaptic: moved")
    report = board.end()
    assert report["malformed"] == 0 and report["unknown"] == 0, report


for check in (liblo, python_osc, reahaptic):
    check(sys.argv[1])
