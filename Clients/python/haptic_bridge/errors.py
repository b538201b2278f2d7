"""The errors of engines, players and patterns, with the codes of Core Haptics."""

from __future__ import annotations

from enum import IntEnum
from typing import Optional, Sequence


class HapticErrorCode(IntEnum):
    """The codes of Core Haptics that this package uses."""

    ENGINE_NOT_RUNNING = -4805
    OPERATION_NOT_PERMITTED = -4806
    ENGINE_START_TIMEOUT = -4808
    NOT_SUPPORTED = -4809
    SERVER_INIT_FAILED = -4810
    SERVER_INTERRUPTED = -4811
    INVALID_PATTERN_PLAYER = -4812
    INVALID_PATTERN_DATA = -4813
    INVALID_PATTERN_DICTIONARY = -4814
    INVALID_ENGINE_PARAMETER = -4816
    INVALID_PARAMETER_TYPE = -4820
    INVALID_EVENT_TYPE = -4821
    INVALID_EVENT_TIME = -4822
    INVALID_EVENT_DURATION = -4823
    BAD_EVENT_ENTRY = -4830
    BAD_PARAMETER_ENTRY = -4831
    INVALID_TIME = -4840
    FILE_NOT_FOUND = -4851
    UNKNOWN_ERROR = -4898
    MEMORY_ERROR = -4899

    @classmethod
    def _missing_(cls, value: object) -> HapticErrorCode:
        return cls.UNKNOWN_ERROR


# The names of the bits of a board's faults (SPEC.md 9), beginning with bit 0.
FAULT_NAMES = (
    "underrun", "late write", "tap skipped", "dead-man", "bus error", "no chip", "wrong chip",
    "read-back differs", "chip reset", "over-temperature", "over-current", "did not come to rest",
    "malformed event", "level limited by the energy budget", "storage failed",
)


def fault_names(faults: int) -> tuple[str, ...]:
    """Returns the names of the faults in a mask of bits. Unknown bits are omitted."""
    return tuple(name for bit, name in enumerate(FAULT_NAMES) if faults >> bit & 1)


class HapticError(Exception):
    """An error from the server or from this package: the message and the remedies."""

    def __init__(
        self, code: int, reason: str, *, port: Optional[str] = None, faults: int = 0,
        advice: Sequence[str] = (),
    ) -> None:
        self.code = HapticErrorCode(code)
        self.reason = reason
        self.port = port
        self.faults = faults
        self.advice = tuple(advice)
        message = f"{port}: {reason}" if port else reason
        super().__init__("\n".join([message, *self.advice]))

    @property
    def fault_names(self) -> tuple[str, ...]:
        """The names of the board's faults that caused the error; empty for other errors."""
        return fault_names(self.faults)


class EngineStartError(HapticError):
    """The error that is raised if an engine cannot start."""


class EngineInterruptedError(HapticError):
    """The error that is raised if a running engine loses the board or the server."""


class EngineNotRunningError(HapticError):
    """The error that is raised for a command to an engine that is not running, or to a player that belongs to an
    earlier start."""


class InvalidPatternError(HapticError):
    """The error that is raised for a pattern that cannot be read or contains an invalid value."""
