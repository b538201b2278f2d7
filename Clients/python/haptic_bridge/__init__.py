"""Plays Core Haptics patterns (AHAP) on a board that `bridge serve` serves.

    from haptic_bridge import HapticEngine

    with HapticEngine() as engine:
        engine.wait_until_finished(engine.play_pattern("pattern.ahap"))
"""

from .aio import AsyncHapticEngine
from .engine import HapticEngine
from .errors import (
    EngineInterruptedError, EngineNotRunningError, EngineStartError, HapticError, HapticErrorCode,
    InvalidPatternError,
)
from .events import (
    Connected, EngineEvent, Faults, Finished, HapticOutput, Measured, Reset, Started, Stopped,
)
from .pattern import HapticDynamicParameter, HapticEvent, HapticParameterCurve, HapticPattern
from .player import HapticPatternPlayer

__all__ = [
    "AsyncHapticEngine", "Connected", "EngineEvent", "EngineInterruptedError", "EngineNotRunningError",
    "EngineStartError", "Faults", "Finished", "HapticDynamicParameter", "HapticEngine", "HapticError",
    "HapticErrorCode", "HapticEvent", "HapticOutput", "HapticParameterCurve", "HapticPattern", "HapticPatternPlayer",
    "InvalidPatternError", "Measured", "Reset", "Started", "Stopped",
]
