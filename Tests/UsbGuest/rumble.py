#!/usr/bin/env python3
"""Tests `bridge serve --rumble` with the kernel's uinput and with SDL as the game, on the virtual board. Run it in the
guest: rumble.py BRIDGE

Prints a line for each step, and exits with 1 if a step fails. Without an argument, rumble.py is a game that plays an
endless effect until the game is killed.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import sdl
import steps
from service import LATE_US, LEVEL_WEBER, LIMIT_S, Service, now_us
from steps import expect, expect_equal, wait_for

NAME = "Haptic Bridge"
TESTS = Path("/usr/libexec/installed-tests/SDL2")
# The maximum time between the end of a game and the rest of the actuator.
REST_US = 300_000
NO_PERMISSION, INPUT_OUTPUT = 77, 74
NOBODY = 65534
SYS_DELETE_MODULE = 176  # of x86_64


def pause(milliseconds):
    time.sleep(milliseconds / 1000)


class Session:
    """The steps that use one gamepad."""

    def __init__(self, bridge):
        self.bridge = bridge
        self.latencies = []

    def read_programs(self):
        """Reads all files of the programs into memory. Otherwise, the first use of a part of a program would have to
        wait for the file system of the host, and this time depends on the load of the host."""
        libraries = subprocess.run(["ldd", self.bridge, TESTS / "testhaptic"], capture_output=True, text=True).stdout
        maps = Path("/proc/self/maps").read_text()
        paths = set(re.findall(r"(?<= )/[^ ()\n]+", libraries + maps))
        for path in [self.bridge, *TESTS.iterdir(), *map(Path, paths)]:
            if path.is_file():
                path.read_bytes()

    def appears(self):
        self.service = Service(self.bridge)
        wait_for(self.service.path.exists, LIMIT_S, self.service.path)
        self.gamepad = sdl.Gamepad(NAME)
        expect(self.gamepad.is_controller, "SDL does not recognize it as a game controller")
        features = sdl.CONSTANT | sdl.SINE | sdl.LEFT_RIGHT | sdl.RAMP | sdl.GAIN
        expect_equal(self.gamepad.features() & features, features, "the features")

    def plays_rumble(self):
        for large, small, level in [(0xFFFF, 0, 255), (0, 0x8000, 128), (0x4040, 0x2020, 64)]:
            for _ in range(8):
                since = now_us()
                self.gamepad.rumble(large, small, 10_000)
                self.latencies.append(self.service.reach(level, since, f"rumble {large}, {small}"))
                pause(50)
                since = now_us()
                self.gamepad.rumble(0, 0, 0)
                self.latencies.append(self.service.reach(0, since, "its end"))
                pause(50)

    def plays_for_a_time(self):
        number = self.gamepad.upload(sdl.left_right(0xFFFF, 0, 500))
        since = now_us()
        self.gamepad.run(number, 2)
        pause(1300)
        changes = self.service.levels(since)
        self.gamepad.erase(number)
        # There is no pause between the first repetition and the second.
        expect_equal([level for _, level in changes], [255, 0], "the levels")
        length = changes[1][0] - changes[0][0]
        print(f"   two repetitions of 500 ms last for {length / 1000} ms", flush=True)
        expect(abs(length - 1_000_000) <= LATE_US, f"they last for {length} us")

    def waits_for_a_delay(self):
        number = self.gamepad.upload(sdl.constant(0x7FFF, 100, delay=200))
        since = now_us()
        self.gamepad.run(number, 2)
        pause(800)
        changes = self.service.levels(since)
        self.gamepad.erase(number)
        expect_equal([level for _, level in changes], [255, 0, 255, 0], "the levels")
        for (at, _), due in zip(changes, [200, 300, 500, 600]):
            late = at - since - 1000 * due
            expect(0 <= late <= LATE_US, f"the change at {due} ms is late by {late} us")

    def follows_envelopes(self):
        for what, effect in [
            ("an envelope of a sine", sdl.sine(0x7FFF, 2000, attack_length=600, attack_level=0, fade_length=800,
                                               fade_level=0x2000)),
            ("an envelope of a constant force", sdl.constant(-0x7FFF, 2000, attack_length=600, attack_level=0,
                                                             fade_length=800, fade_level=0x2000)),
        ]:
            def due(milliseconds):
                if milliseconds < 600:
                    return milliseconds / 600
                if milliseconds <= 1200:
                    return 1
                return 0 if milliseconds >= 2000 else 0.25 + 0.75 * (2000 - milliseconds) / 800

            self.play_and_follow(what, effect, due, 2000)

    def follows_ramps(self):
        self.play_and_follow("a ramp", sdl.ramp(0x7FFF, 0x1000, 1000),
                             lambda at: 0 if at >= 1000 else 1 - 0.875 * at / 1000, 1000)
        self.play_and_follow("a ramp through zero", sdl.ramp(-0x7FFF, 0x7FFF, 1000),
                             lambda at: 0 if at >= 1000 else abs(1 - 2 * at / 1000), 1000)

    def play_and_follow(self, what, effect, due, length_ms):
        number = self.gamepad.upload(effect)
        begin = now_us()
        self.gamepad.run(number)
        pause(length_ms + 200)
        self.gamepad.erase(number)
        self.service.follow(due, begin, length_ms + 100, what)

    def mixes(self):
        numbers = [self.gamepad.upload(effect) for effect in (sdl.constant(0x2000), sdl.sine(0x4000))]
        for number, level in zip(numbers, (64, 191)):
            since = now_us()
            self.gamepad.run(number)
            self.latencies.append(self.service.reach(level, since, "the sum"))
        for gain, level in [(50, 96), (0, 0), (100, 191)]:
            since = now_us()
            self.gamepad.set_gain(gain)
            self.latencies.append(self.service.reach(level, since, f"a gain of {gain} %"))
            pause(20)
        for number, level in zip(numbers, (128, 0)):
            since = now_us()
            self.gamepad.erase(number)
            self.latencies.append(self.service.reach(level, since, "an erased effect"))

    def tells_latencies(self):
        ordered = sorted(self.latencies)
        p95 = ordered[int(0.95 * len(ordered))]
        print(f"   from the call to the bus: median {ordered[len(ordered) // 2] / 1000} ms, p95 {p95 / 1000} ms, "
              f"{ordered[-1] / 1000} ms at most", flush=True)

    # ---- Rest ----

    def rests_after_a_kill(self):
        game = subprocess.Popen([sys.executable, "-B", __file__])
        wait_for(lambda: self.service.level() == 255, LIMIT_S, "the level of the game")
        since = now_us()
        game.kill()
        game.wait(LIMIT_S)
        took = self.service.reach(0, since, "a game that is killed", REST_US)
        print(f"   rest after {took / 1000} ms", flush=True)

    def is_not_read_by_others(self):
        """Checks that another program that reads the gamepad receives no effect."""
        other = os.open(self.service.path, os.O_RDONLY | os.O_NONBLOCK)
        since = now_us()
        self.gamepad.rumble(0xFFFF, 0, 100)
        self.service.reach(255, since, "rumble")
        pause(200)
        try:
            expect_equal(os.read(other, 24), None, "what another program reads")
        except BlockingIOError:
            pass
        os.close(other)
        # This test has no game loop, in which SDL would end the rumble.
        self.gamepad.rumble(0, 0, 0)

    def plays_the_tools_of_sdl(self):
        """Plays the effects of SDL's test programs, and compares the levels with those in the programs' sources."""
        since = now_us()
        environment = os.environ | {"SDL_VIDEODRIVER": "dummy"}
        result = subprocess.run([TESTS / "testhaptic"], capture_output=True, text=True, timeout=60, env=environment)
        expect_equal(result.returncode, 0, f"the status of testhaptic ({result.stderr})")
        expect_equal((result.stderr + result.stdout).count("Playing effect"), 5, "the number of effects of testhaptic")
        result = subprocess.run([TESTS / "testrumble"], capture_output=True, text=True, timeout=60, env=environment)
        expect_equal(result.returncode, 0, f"the status of testrumble ({result.stderr})")
        # The effects are a sine, a saw, a constant force, both halves of a ramp through zero after an attack of 1 s,
        # both motors, and two plain rumbles.
        peaks, peak = [], 0
        for _, level in self.service.levels(since):
            if level == 0 and peak:
                peaks.append(peak)
            peak = 0 if level == 0 else max(peak, level)
        print(f"   the greatest levels of testhaptic and testrumble: {peaks}", flush=True)
        due = [64, 159, 191, 77, 77, 255, 128, 77]
        expect_equal(len(peaks), len(due), "the number of effects")
        for found, wanted in zip(peaks, due):
            expect(abs(found - wanted) <= LEVEL_WEBER * wanted, f"a level of {found} instead of {wanted}")

    def ends_with_the_service(self):
        number = self.gamepad.upload(sdl.constant(0x7FFF))
        since = now_us()
        self.gamepad.run(number)
        self.service.reach(255, since, "a constant force")
        self.service.end()
        expect_equal(self.service.level(), 0, "the level after the end of the service")
        wait_for(lambda: not self.service.path.exists(), LIMIT_S, "the end of the gamepad")

    # ---- Errors ----

    def names_what_is_missing(self):
        os.environ["XDG_RUNTIME_DIR"] = str(self.service.folder)
        command = [self.bridge, "serve", "--virtual", "--rumble"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, user=NOBODY, group=NOBODY,
                                env=os.environ | {"XDG_RUNTIME_DIR": ""})
        expect_equal(result.returncode, NO_PERMISSION, f"the status without permission ({result.stderr})")
        expect("60-haptic-bridge-gamepad.rules" in result.stderr, result.stderr)
        expect_equal(ctypes.CDLL(None).syscall(SYS_DELETE_MODULE, b"uinput", os.O_NONBLOCK), 0, "rmmod uinput")
        result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
        expect_equal(result.returncode, INPUT_OUTPUT, f"the status without the module ({result.stderr})")
        expect("sudo modprobe uinput" in result.stderr, result.stderr)

    def steps(self):
        return [
            ("SDL finds the gamepad and its features", self.appears),
            ("a rumble has its level on the bus within 10 ms", self.plays_rumble),
            ("repetitions last as long as specified", self.plays_for_a_time),
            ("repetitions wait for their delay", self.waits_for_a_delay),
            ("envelopes are followed within 1 JND", self.follows_envelopes),
            ("ramps are followed within 1 JND", self.follows_ramps),
            ("effects add up, and a gain of 0 is rest", self.mixes),
            ("the times are printed", self.tells_latencies),
            ("a killed game leaves the actuator at rest", self.rests_after_a_kill),
            ("no other program can read the effects", self.is_not_read_by_others),
            ("the levels of SDL's test programs are on the bus", self.plays_the_tools_of_sdl),
            ("the end of the service brings the actuator to rest", self.ends_with_the_service),
            ("a missing permission and a missing module are named", self.names_what_is_missing),
        ]


def run(bridge):
    """Runs the steps. Returns True if all have passed."""
    session = Session(bridge)
    session.read_programs()
    try:
        return steps.run(session.steps())
    finally:
        session.service.process.kill()


def play_until_killed():
    gamepad = sdl.Gamepad(NAME)
    gamepad.run(gamepad.upload(sdl.constant(0x7FFF)))
    time.sleep(LIMIT_S)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        play_until_killed()
    else:
        sys.exit(0 if run(Path(sys.argv[1]).resolve()) else 1)
