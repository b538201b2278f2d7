"""Plays the events of a MIDI keyboard (ALSA sequencer): midi.py [MIDI-PORT [PORT]]

`aseqdump -l` lists the MIDI ports. If no MIDI port is given, connect a keyboard with `aconnect`. `aseqdump` is in the
package alsa-utils.

- A note is a tap. Its velocity is the intensity. Its pitch is the sharpness: 0 for C2 and below, 1 for C6 and above.
- The modulation wheel (controller 1) sets a level. Controller 74 sets the sharpness of the level, which is 0.5 until
  this controller is moved.
- "All sound off" (controller 120), "all notes off" (123) and a keyboard that is unplugged end the level.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Iterable, Optional, Protocol

from haptic_bridge import HapticDynamicParameter, HapticEngine, HapticError, HapticEvent, HapticPattern

LOWEST, HIGHEST = 36, 84
MODULATION, BRIGHTNESS, OFF = 1, 74, (120, 123)
LINE = re.compile(r"\s*\d+:\d+\s+(Note on|Control change|Port unsubscribed)(?:\s+\d+, \w+ (\d+), \w+ +(\d+))?")


class Output(Protocol):
    """The output on which a keyboard plays."""

    def tap(self, intensity: float, sharpness: float) -> None:
        """Plays a tap."""

    def set_level(self, intensity: float, sharpness: float) -> None:
        """Holds a level until the next level is set."""


class Keyboard:
    """Plays the events of a keyboard on an output."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._intensity, self._sharpness = 0.0, 0.5

    def receive(self, line: str) -> None:
        """Plays the event in a line of `aseqdump`. Events that the description of this program does not list have no
        effect."""
        match = LINE.match(line)
        if not match:
            return
        kind, number, value = match[1], int(match[2] or 0), int(match[3] or 0)
        if kind == "Note on" and value > 0:
            self._output.tap(value / 127, min(max((number - LOWEST) / (HIGHEST - LOWEST), 0), 1))
        elif kind == "Port unsubscribed":
            self._control(OFF[0], 0)
        elif kind == "Control change":
            self._control(number, value)

    def _control(self, number: int, value: int) -> None:
        if number == MODULATION:
            self._intensity = value / 127
        elif number == BRIGHTNESS:
            self._sharpness = value / 127
        elif number in OFF:
            self._intensity = 0
        else:
            return
        self._output.set_level(self._intensity, self._sharpness)


class Board:
    """The output on a board."""

    def __init__(self, engine: HapticEngine) -> None:
        self._engine = engine
        # Without a duration, the event plays until it is stopped. The parameters of the player set the level.
        self._level = engine.make_player(HapticPattern([HapticEvent("HapticContinuous", intensity=1, sharpness=0)]))
        self._is_held = False

    def tap(self, intensity: float, sharpness: float) -> None:
        """Plays a tap."""
        event = HapticEvent("HapticTransient", intensity=intensity, sharpness=sharpness)
        self._engine.play_pattern(HapticPattern([event]))

    def set_level(self, intensity: float, sharpness: float) -> None:
        """Holds a level until the next level is set."""
        if intensity == 0:
            if self._is_held:
                self._level.stop()
            self._is_held = False
            return
        self._level.send_parameters([
            HapticDynamicParameter("HapticIntensityControl", intensity),
            HapticDynamicParameter("HapticSharpnessControl", sharpness)])
        if not self._is_held:
            self._level.start()
        self._is_held = True


def play(lines: Iterable[str], engine: HapticEngine) -> None:
    """Plays the lines of `aseqdump` until they end."""
    keyboard = Keyboard(Board(engine))
    for line in lines:
        keyboard.receive(line)


def run(midi_port: Optional[str], port: Optional[str]) -> int:
    """Plays until `aseqdump` ends. Returns its status."""
    command = ["aseqdump", *(["-p", midi_port] if midi_port else [])]
    with HapticEngine(port) as engine, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as source:
        assert source.stdout
        play(source.stdout, engine)
    return source.returncode


if __name__ == "__main__":
    try:
        sys.exit(run(*[*sys.argv[1:3], None, None][:2]))
    except FileNotFoundError:
        sys.exit("aseqdump: not found; install the package alsa-utils")
    except HapticError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass
