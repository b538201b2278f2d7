"""The events of an engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Union

from .errors import HapticError, fault_names


@dataclass(frozen=True)
class HapticOutput:
    """The haptic output at a time: intensity and sharpness, 0 to 1."""

    intensity: float = 0.0
    sharpness: float = 0.0


@dataclass(frozen=True)
class Connected:
    """The board has answered."""

    port: str
    identity: Optional[str] = None


@dataclass(frozen=True)
class Started:
    """The engine has started. All later commands are carried out."""


@dataclass(frozen=True)
class Finished:
    """Players have ended. `players` contains the numbers of these players."""

    players: tuple[int, ...]


@dataclass(frozen=True)
class Reset:
    """The board was reset, and all players were removed. `start` continues."""


@dataclass(frozen=True)
class Faults:
    """The board has latched faults, and continues to play."""

    faults: int
    advice: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the faults."""
        return fault_names(self.faults)


@dataclass(frozen=True)
class Measured:
    """The statistics of the engine, by their names in the messages."""

    statistics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stopped:
    """The engine has stopped: without an error if `stop` was called."""

    error: Optional[HapticError] = None
    is_suspended: bool = False


EngineEvent = Union[Connected, Started, Finished, Reset, Faults, Measured, Stopped]
