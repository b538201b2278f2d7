"""Plays a file of movements (.funscript): funscript.py FILE [PORT]

The file is JSON with positions from 0 to 100 at times in milliseconds. The speed of each movement between two positions
becomes an intensity: FULL_SPEED or more becomes 1, half of FULL_SPEED becomes 0.5, and no movement becomes 0. The
direction has no effect.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from haptic_bridge import HapticEngine, HapticError, HapticEvent, HapticPattern

# The speed that becomes the intensity 1, in positions per second: the whole range in a quarter of a second.
FULL_SPEED = 400.0
SHARPNESS = 0.5


def read_actions(text: str) -> list[tuple[int, float]]:
    """Returns the positions in the order of their times. If several positions have the same time, the last of these
    positions applies."""
    try:
        entries = json.loads(text)["actions"]
        actions = {int(entry["at"]): float(entry["pos"]) for entry in entries}
    except (ValueError, OverflowError, KeyError, TypeError) as error:
        raise ValueError(f'expected {{"actions": [{{"at": MILLISECONDS, "pos": 0 to 100}}, …]}}: {error}') from error
    for time, position in actions.items():
        if time < 0 or not 0 <= position <= 100:
            raise ValueError(f"the position {position} at {time} ms; expected 0 to 100, at 0 ms or later")
    return sorted(actions.items())


def pattern_of(actions: list[tuple[int, float]]) -> HapticPattern:
    """Returns a pattern with an event for each movement."""
    events = []
    for (begin, position), (end, next_position) in zip(actions, actions[1:]):
        duration = (end - begin) / 1000
        intensity = min(abs(next_position - position) / duration / FULL_SPEED, 1)
        if intensity > 0:
            events.append(HapticEvent("HapticContinuous", begin / 1000, duration, intensity, SHARPNESS))
    return HapticPattern(events)


def read(path: str) -> HapticPattern:
    """Reads a file of movements, and returns its pattern."""
    try:
        return pattern_of(read_actions(Path(path).read_text(encoding="utf-8-sig")))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


if __name__ == "__main__":
    try:
        with HapticEngine(*sys.argv[2:3]) as engine:
            engine.wait_until_finished(engine.play_pattern(read(sys.argv[1])))
    except (HapticError, OSError, ValueError) as error:
        sys.exit(str(error))
