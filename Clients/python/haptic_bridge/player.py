"""The players of an engine, for the blocking and the asyncio interface."""

from __future__ import annotations

import math
from typing import Any, Callable, ContextManager, Iterable, Optional, Protocol, Sequence

from .errors import EngineNotRunningError, HapticErrorCode, InvalidPatternError
from .pattern import HapticDynamicParameter, HapticParameterCurve, Message, microseconds, number, parameter_messages


class Commands(Protocol):
    """The part of an engine that its players use."""

    lock: ContextManager[object]

    def perform(self, messages: Sequence[Message], start: int) -> None:
        """Sends messages that take effect together, if `start` is the number of the current start."""

    def server_time(self, time: float) -> Optional[int]:
        """Returns a time on the clock of `current_time` in the form in which it is sent; None means "now"."""

    def release(self, player: int, start: int) -> None:
        """Requests the release of a player. Python's garbage collector may call this function at any time."""


class HapticPatternPlayer:
    """A player of a pattern. Times are in seconds on the clock of the engine's `current_time`; 0 means now.

    When the program no longer has a reference to a player, the player plays to the end of its
    pattern.
    """

    def __init__(self, engine: Commands, player: int, start: int) -> None:
        self._engine, self.number, self._start = engine, player, start
        self._is_playing = False
        self._muted = False
        self._loop_enabled, self._loop_end, self._rate = False, 0.0, 1.0
        # A function that is called when the player has ended. The function must not wait.
        self.completion_handler: Optional[Callable[[], None]] = None

    @property
    def is_playing(self) -> bool:
        """True from the call to `start` until the player has ended."""
        return self._is_playing

    def _perform(self, message_type: str, time: Optional[float] = None, **members: Any) -> None:
        message = {"type": message_type, "player": self.number, **members}
        if time is not None:
            self._send([message], time)
        else:
            self._engine.perform([message], self._start)

    def _send(self, messages: Iterable[Message], time: float) -> None:
        messages = [{**message, "player": self.number} for message in messages]
        due = self._engine.server_time(time)
        if due is not None:
            for message in messages:
                if message["type"] != "points":
                    message["time"] = due
        if messages:
            self._engine.perform(messages, self._start)

    def start(self, time: float = 0, *, offset: float = 0) -> None:
        """Plays the pattern, beginning at an offset in seconds. Restarts a player that is playing."""
        with self._engine.lock:
            self._perform("start", time, **({"offset": microseconds(offset)} if offset else {}))
            self._is_playing = True

    def stop(self, time: float = 0) -> None:
        """Stops the player, and cancels earlier requests for later times."""
        self._perform("stop", time)

    def cancel(self) -> None:
        """Stops the player now, and discards parameters that have not yet taken effect."""
        self._perform("cancel")

    def pause(self, time: float = 0) -> None:
        """Pauses the player."""
        self._perform("pause", time)

    def resume(self, time: float = 0) -> None:
        """Resumes the player where it was paused."""
        self._perform("resume", time)

    def seek(self, offset: float) -> None:
        """Continues at an offset into the pattern, in seconds."""
        self._perform("seek", offset=microseconds(offset))

    def send_parameters(self, parameters: Sequence[HapticDynamicParameter], time: float = 0) -> None:
        """Changes parameters. Each parameter contains its own time, which is relative to `time`."""
        self._send(parameter_messages(parameters, "parameters"), time)

    def schedule_parameter_curve(self, curve: HapticParameterCurve, time: float = 0) -> None:
        """Changes a parameter along a curve that starts at `time`."""
        self._send(curve.messages("curve"), time)

    @property
    def is_muted(self) -> bool:
        """True if the player continues silently."""
        return self._muted

    @is_muted.setter
    def is_muted(self, value: bool) -> None:
        self._perform("mute", muted=value)
        self._muted = value

    @property
    def loop_enabled(self) -> bool:
        """True if the pattern repeats until the player is stopped."""
        return self._loop_enabled

    @loop_enabled.setter
    def loop_enabled(self, value: bool) -> None:
        self._send_loop(value, self._loop_end)

    @property
    def loop_end(self) -> float:
        """The end of each repetition, in seconds from the start of the pattern; 0 means the end of the last event."""
        return self._loop_end

    @loop_end.setter
    def loop_end(self, value: float) -> None:
        self._send_loop(self._loop_enabled, value)

    def _send_loop(self, enabled: bool, end: float) -> None:
        self._perform("loop", enabled=enabled, loop_end=microseconds(end))
        self._loop_enabled, self._loop_end = enabled, end

    @property
    def playback_rate(self) -> float:
        """The playback rate, 1/64 to 64. Values outside this range are clamped."""
        return self._rate

    @playback_rate.setter
    def playback_rate(self, value: float) -> None:
        rate = limited_rate(value)
        self._perform("rate", rate=number(rate))
        self._rate = rate

    def __del__(self) -> None:
        self._engine.release(self.number, self._start)


def limited_rate(rate: float) -> float:
    """Returns a playback rate in the range that players support."""
    if math.isnan(rate):
        raise InvalidPatternError(HapticErrorCode.BAD_PARAMETER_ENTRY, "the playback rate is not a number")
    return min(max(rate, 1 / 64), 64.0)


def invalid_player() -> EngineNotRunningError:
    """Returns the error of a player that was made before the engine was started again."""
    return EngineNotRunningError(
        HapticErrorCode.INVALID_PATTERN_PLAYER,
        "the player was made before the engine stopped or the board was reset; make a new player")
