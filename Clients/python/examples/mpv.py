"""Plays a pattern in sync with the film that mpv shows. The pattern is stored next to the film: mpv.py SOCKET [PORT]

    mpv --input-ipc-server=/tmp/mpv film.mkv &
    mpv.py /tmp/mpv

The pattern is film.ahap, or else film.funscript, in the folder of the film. Pauses, seeks and changes of the speed also
apply to the pattern. The program ends when mpv ends.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any, Callable, Optional, Protocol

import funscript
from haptic_bridge import HapticEngine, HapticError, HapticPattern

# The difference between the positions of the film and the pattern, in seconds, above which the pattern is moved to the
# position of the film. mpv reports each position when it shows the frame; on a busy computer, the report is a few
# milliseconds late.
TOLERANCE = 0.04
PROPERTIES = ("working-directory", "path", "core-idle", "speed", "time-pos")


class Player(Protocol):
    """The functions of a player that `Follower` uses."""

    playback_rate: float

    def start(self, time: float = 0, *, offset: float = 0) -> None:
        """Plays the pattern, beginning at an offset."""

    def stop(self, time: float = 0) -> None:
        """Stops."""


class Follower:
    """Controls the player of the film's pattern according to the messages from mpv."""

    def __init__(self, load: Callable[[Path], Optional[Player]]) -> None:
        # A function that returns the player of the pattern of a film; None if the film has no pattern.
        self._load = load
        self._player: Optional[Player] = None
        self._values: dict[str, Any] = {}
        self._is_seeking = False
        # The speed of the film, and the time at which the pattern would have started at this speed; None while the
        # pattern does not play.
        self._speed = 1.0
        self._origin: Optional[float] = None

    def receive(self, message: dict[str, Any], now: float) -> None:
        """Handles a message that was received at a time in seconds."""
        event = message.get("event")
        if event == "property-change":
            self._values[message["name"]] = message.get("data")
            self._change(message["name"], now)
        elif event in ("seek", "end-file"):
            self._is_seeking = True
            self._rest()
        elif event == "playback-restart":
            self._is_seeking = False

    def _change(self, name: str, now: float) -> None:
        if name in ("working-directory", "path"):
            self._open()
        elif name == "core-idle" and self._is_still:
            self._rest()
        elif name == "speed":
            self._set_speed(self._values["speed"] or 1.0, now)
        elif name == "time-pos":
            self._follow(now)

    @property
    def _is_still(self) -> bool:
        """True while the film is paused, is waiting for data, or is seeking."""
        return self._is_seeking or self._values.get("core-idle") is not False

    def _open(self) -> None:
        self._rest()
        folder, path = self._values.get("working-directory"), self._values.get("path")
        self._player = self._load(Path(folder, path)) if folder and path else None
        if self._player:
            self._player.playback_rate = self._speed

    def _set_speed(self, speed: float, now: float) -> None:
        if self._origin is not None:
            self._origin = now - (now - self._origin) * self._speed / speed
        self._speed = speed
        if self._player:
            self._player.playback_rate = speed

    def _follow(self, now: float) -> None:
        position = self._values["time-pos"]
        if self._player is None or position is None or self._is_still:
            return
        origin = now - position / self._speed
        if self._origin is None or abs(origin - self._origin) > TOLERANCE:
            self._origin = origin
            self._player.start(offset=max(0.0, position))

    def _rest(self) -> None:
        if self._player and self._origin is not None:
            self._player.stop()
        self._origin = None


def read_pattern(film: Path) -> Optional[HapticPattern]:
    """Returns the pattern that is stored next to a film; None if there is no pattern."""
    for suffix, read in ((".ahap", HapticPattern.from_file), (".funscript", funscript.read)):
        path = film.with_suffix(suffix)
        if path.exists():
            return read(str(path))
    return None


def load(engine: HapticEngine, film: Path) -> Optional[Player]:
    """Returns the player of the pattern that belongs to a film. If no player can be made, prints the reason."""
    try:
        pattern = read_pattern(film)
    except (HapticError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return None
    if pattern is None:
        print(f"{film}: no {film.stem}.ahap or {film.stem}.funscript next to it", file=sys.stderr)
        return None
    return engine.make_player(pattern)


def follow(path: str, engine: HapticEngine) -> None:
    """Plays the patterns of the films that mpv shows, until mpv ends."""
    follower = Follower(lambda film: load(engine, film))
    with socket.socket(socket.AF_UNIX) as mpv:
        mpv.connect(path)
        for number, name in enumerate(PROPERTIES, 1):
            mpv.sendall(json.dumps({"command": ["observe_property", number, name]}).encode() + b"\n")
        try:
            for line in mpv.makefile("rb"):
                follower.receive(json.loads(line), engine.current_time)
        except ConnectionResetError:
            pass  # mpv has ended.


if __name__ == "__main__":
    try:
        with HapticEngine(*sys.argv[2:3], program=os.path.basename(sys.argv[0])) as engine:
            follow(sys.argv[1], engine)
    except (HapticError, OSError) as error:
        sys.exit(f"{error}; start mpv with --input-ipc-server=SOCKET" if isinstance(error, OSError) else str(error))
    except KeyboardInterrupt:
        pass
