#!/usr/bin/env python3
"""Tests the examples for the Python client that other programs control: adapters.py FOLDER_OF_THE_PROGRAMS

Recorded messages of the other programs test the logic of the examples. Each example also runs once on a virtual board.
"""

import json
import os
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

from board import ServedBoard

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Clients/python/examples"
sys.path += [str(ROOT / "Clients/python"), str(EXAMPLES)]

import funscript  # noqa: E402
import midi  # noqa: E402
import mpv  # noqa: E402

PROGRAMS = sys.argv.pop(1)
FULL = 255  # The level with which the board renders the intensity 1.

MOVEMENTS = """{"version": "1.0", "inverted": false, "range": 90, "actions": [
    {"at": 1000, "pos": 100}, {"at": 0, "pos": 0}, {"at": 1500, "pos": 100}, {"at": 1750, "pos": 0},
    {"at": 1760, "pos": 100}]}"""

# Lines of `aseqdump -p 20:0` from alsa-utils 1.2.8.
KEYS = """Waiting for data. Press Ctrl+C to end.
Source  Event                  Ch  Data
 20:0   Note on                 0, note 60, velocity 127
 20:0   Note off                0, note 60, velocity 64
 20:0   Note on                 9, note 24, velocity 1
 20:0   Note on                 0, note 60, velocity 0
 20:0   Control change          0, controller 1, value 127
 20:0   Control change          0, controller 7, value 3
 20:0   Control change         15, controller 74, value     0
 20:0   Pitch bend              0, value -8192
 20:0   Clock
 20:0   System exclusive           F0 7E 7F 06 01 F7
  0:1   Port unsubscribed          20:0 -> 128:0
"""


class FunscriptTests(unittest.TestCase):
    def test_the_speed_of_each_movement_is_its_intensity(self):
        events = funscript.pattern_of(funscript.read_actions(MOVEMENTS)).events
        self.assertEqual([(event.time, event.duration, event.intensity) for event in events],
                         [(0, 1, 0.25), (1.5, 0.25, 1), (1.75, 0.01, 1)])

    def test_other_files_are_refused(self):
        for text in ("", "[]", "{}", '{"actions": [{"at": 0}]}', '{"actions": [{"at": 1e999, "pos": 0}]}',
                     '{"actions": [{"at": 0, "pos": 101}]}', '{"actions": [{"at": -1, "pos": 0}]}',
                     '{"actions": [{"at": 0, "pos": NaN}]}'):
            with self.assertRaises(ValueError, msg=text):
                funscript.read_actions(text)

    def test_a_file_without_movements_is_empty(self):
        for text in ('{"actions": []}', '{"actions": [{"at": 5, "pos": 5}]}'):
            self.assertEqual(funscript.pattern_of(funscript.read_actions(text)).events, [])


class Keys:
    def __init__(self):
        self.calls = []

    def tap(self, intensity, sharpness):
        self.calls.append(("tap", round(intensity, 3), sharpness))

    def set_level(self, intensity, sharpness):
        self.calls.append(("level", intensity, sharpness))


class MIDITests(unittest.TestCase):
    def test_notes_are_taps_and_controllers_hold_a_level(self):
        keys = Keys()
        keyboard = midi.Keyboard(keys)
        for line in KEYS.splitlines():
            keyboard.receive(line)
        self.assertEqual(keys.calls, [
            ("tap", 1, 0.5), ("tap", 0.008, 0), ("level", 1, 0.5), ("level", 1, 0), ("level", 0, 0)])

    def test_a_keyboard_can_end_its_level(self):
        for controller in (120, 123):
            keys = Keys()
            midi.Keyboard(keys).receive(f" 20:0   Control change          0, controller {controller}, value 0")
            self.assertEqual(keys.calls, [("level", 0, 0.5)])


class Film:
    """A player that records its calls, and the messages of mpv that control it."""

    def __init__(self):
        self.calls = []
        self.follower = mpv.Follower(self.load)

    def load(self, film):
        self.calls.append(("load", str(film)))
        return self if film.stem == "film" else None

    def start(self, time=0, *, offset=0):
        self.calls.append(("start", offset))

    def stop(self, time=0):
        self.calls.append(("stop",))

    @property
    def playback_rate(self):
        raise NotImplementedError

    @playback_rate.setter
    def playback_rate(self, rate):
        self.calls.append(("rate", rate))

    def change(self, now, name, data):
        self.follower.receive({"event": "property-change", "id": 1, "name": name, "data": data}, now)

    def event(self, now, name):
        self.follower.receive({"event": name}, now)

    def taken(self):
        calls, self.calls = self.calls, []
        return calls

    def playing(self):
        """Starts playback at the position 10 s when the clock is at 100 s."""
        for name, data in (("working-directory", "/films"), ("path", "film.mkv"), ("core-idle", False),
                           ("speed", 1), ("time-pos", 10)):
            self.change(100, name, data)
        return self.taken()


class MpvTests(unittest.TestCase):
    def test_a_film_that_plays_is_joined_at_its_position(self):
        self.assertEqual(Film().playing(), [("load", "/films/film.mkv"), ("rate", 1), ("rate", 1), ("start", 10)])

    def test_positions_within_the_tolerance_change_nothing(self):
        film = Film()
        film.playing()
        film.change(101, "time-pos", 10.97)
        film.change(102, "time-pos", 12.03)
        self.assertEqual(film.taken(), [])
        film.change(103, "time-pos", 13.05)
        self.assertEqual(film.taken(), [("start", 13.05)])

    def test_pause_rests_until_the_next_position(self):
        film = Film()
        film.playing()
        film.change(101, "core-idle", True)
        film.change(101, "time-pos", 11)
        self.assertEqual(film.taken(), [("stop",)])
        film.change(200, "core-idle", False)
        film.change(200.04, "time-pos", 11.04)
        self.assertEqual(film.taken(), [("start", 11.04)])

    def test_a_search_rests_until_the_film_continues(self):
        film = Film()
        film.playing()
        film.event(101, "seek")
        film.change(101.1, "time-pos", 50)
        self.assertEqual(film.taken(), [("stop",)])
        film.event(101.2, "playback-restart")
        film.change(101.3, "time-pos", 50.1)
        self.assertEqual(film.taken(), [("start", 50.1)])

    def test_speed_changes_the_rate_without_a_new_start(self):
        film = Film()
        film.playing()
        film.change(101, "speed", 2)
        film.change(102, "time-pos", 13.03)
        self.assertEqual(film.taken(), [("rate", 2)])
        film.change(103, "time-pos", 14)
        self.assertEqual(film.taken(), [("start", 14)])

    def test_the_next_film_has_its_own_pattern(self):
        film = Film()
        film.playing()
        film.event(101, "end-file")
        film.change(101, "path", None)
        film.change(101, "time-pos", None)
        self.assertEqual(film.taken(), [("stop",)])
        film.change(102, "path", "/other/extra.mkv")
        film.event(102, "playback-restart")
        film.change(102, "time-pos", 0)
        self.assertEqual(film.taken(), [("load", "/other/extra.mkv")])


class BoardTests(unittest.TestCase):
    """Checks that each example plays on a virtual board."""

    def setUp(self):
        self.board = ServedBoard(PROGRAMS)
        self.addCleanup(self.board.close)
        self.folder = Path(self.board.home.name)

    def start(self, name, *arguments, **environment):
        environment = dict(self.board.environment, PYTHONPATH=str(ROOT / "Clients/python"), **environment)
        process = subprocess.Popen([sys.executable, "-B", EXAMPLES / f"{name}.py", *arguments], env=environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def held(self):
        """Returns the levels that were held for at least 0.1 s, and their times in seconds after the first level."""
        levels = self.board.wait_for_rest(2)
        ends = [time for time, _ in levels[1:]]
        held = [(begin, level) for (begin, level), end in zip(levels, ends) if end - begin > 100_000]
        return [(round((time - held[0][0]) / 1e6, 2), level) for time, level in held]

    def assert_levels(self, expected):
        held = self.held()
        self.assertEqual(len(held), len(expected), held)
        for (time, level), (due, intensity) in zip(held, expected):
            self.assertAlmostEqual(time, due, delta=0.1, msg=held)
            self.assertAlmostEqual(level, intensity * FULL, delta=4, msg=held)

    def test_funscript(self):
        file = self.folder / "film.funscript"
        file.write_text(MOVEMENTS)
        self.assertEqual(self.start("funscript", str(file)).wait(20), 0)
        self.assert_levels([(0, 0.25), (1, 0), (1.5, 1)])

    def test_midi(self):
        program = self.folder / "aseqdump"
        lines = [f"sleep 0.3; echo ' 20:0   Control change          0, controller 1, value {value}'"
                 for value in (127, 64, 0, 32, 0)]
        program.write_text("#!/bin/sh\n" + "\n".join(lines))
        program.chmod(0o755)
        path = f"{self.folder}:{os.environ['PATH']}"
        self.assertEqual(self.start("midi", "20:0", PATH=path).wait(20), 0)
        self.assert_levels([(0, 1), (0.3, 64 / 127), (0.6, 0), (0.9, 32 / 127)])

    def test_mpv(self):
        (self.folder / "film.funscript").write_text(MOVEMENTS)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "mpv"))
            listener.listen()
            follower = self.start("mpv", str(self.folder / "mpv"))
            mpv_end, _ = listener.accept()
        with mpv_end, mpv_end.makefile("r") as commands:
            observed = [json.loads(commands.readline())["command"][2] for _ in mpv.PROPERTIES]
            self.assertEqual(observed, list(mpv.PROPERTIES))

            def send(**message):
                mpv_end.sendall(json.dumps(message).encode() + b"\n")

            for name, data in (("working-directory", str(self.folder)), ("path", "film.mkv"), ("speed", 1),
                               ("core-idle", False), ("time-pos", 0.5)):
                send(event="property-change", id=1, name=name, data=data)
            time.sleep(0.3)
            send(event="property-change", id=1, name="core-idle", data=True)
            time.sleep(0.3)
            send(event="property-change", id=1, name="speed", data=0.5)
            send(event="property-change", id=1, name="core-idle", data=False)
            send(event="property-change", id=1, name="time-pos", data=1.4)
            time.sleep(1)
        self.assertEqual(follower.wait(20), 0)
        # At half speed, a movement of 0.25 s begins after 0.2 s and lasts for 0.5 s.
        self.assert_levels([(0, 0.25), (0.3, 0), (0.8, 1)])


if __name__ == "__main__":
    unittest.main()
