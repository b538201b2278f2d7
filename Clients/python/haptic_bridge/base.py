"""The part of an engine that blocking and asyncio programs share."""

from __future__ import annotations

import os
import secrets
import sys
from collections import deque
from contextlib import nullcontext
from typing import ContextManager, Iterable, Optional, Sequence
from weakref import WeakValueDictionary

from .errors import EngineNotRunningError, EngineStartError, HapticErrorCode
from .events import EngineEvent, Finished, Reset, Started, Stopped
from .pattern import HapticPattern, Message, microseconds, number
from .player import HapticPatternPlayer, invalid_player, limited_rate
from .server import current_time
from .session import OutputAnswer, Session, encoded_together

# The maximum time for the start of an engine, in seconds. The server itself gives up after 5 s.
START_TIMEOUT = 8.0


class EngineBase:
    """An engine without its connection. Subclasses send `self._session.outgoing` in `_flush`."""

    def __init__(
        self, port: Optional[str] = None, *, locality: str = "default",
        key_file: Optional[str] = None, program: Optional[str] = None,
    ) -> None:
        self.requested_port, self.locality, self._key_file = port, locality, key_file
        self._program = program or os.path.basename(sys.argv[0]) or "a Python program"
        # The lock that protects the state below. It has no effect in an engine whose functions are all called on one
        # thread.
        self.lock: ContextManager[object] = nullcontext()
        self._session: Optional[Session] = None
        # The number of the current start. A start is current until the engine stops or is reset.
        self._starts = 0
        self._players: WeakValueDictionary[int, HapticPatternPlayer] = WeakValueDictionary()
        self._released: deque[tuple[int, int]] = deque()
        self._stop_event: Optional[Stopped] = None
        self._muted = False

    @property
    def current_time(self) -> float:
        """The current time in seconds, on the clock that `start` and the other functions of players use."""
        return current_time()

    @property
    def is_running(self) -> bool:
        """True if the engine has started, has not stopped, and does not wait for `start` after a reset."""
        return self._session is not None and self._session.is_ready and not self._session.is_over

    @property
    def port(self) -> Optional[str]:
        """The port of the board, as reported by the server; None before the board has answered."""
        return self._session.port if self._session else None

    @property
    def is_muted(self) -> bool:
        """True if all players of the engine are muted."""
        return self._muted

    @is_muted.setter
    def is_muted(self, value: bool) -> None:
        self._muted = value
        if self.is_running:
            self.perform([{"type": "mute", "muted": value}], self._starts)

    # Commands of players

    def _running(self) -> Session:
        if self._session is None:
            raise EngineNotRunningError(
                HapticErrorCode.ENGINE_NOT_RUNNING, "the engine has not been started; call start() first")
        return self._session

    def _flush(self) -> None:
        raise NotImplementedError

    def server_time(self, time: float) -> Optional[int]:
        """Returns a time on the clock of `current_time` in the form in which it is sent; None means "now"."""
        return self._running().server_time(time, current_time())

    def release(self, player: int, start: int) -> None:
        """Releases a player together with the next message that shows that the program is alive."""
        self._released.append((player, start))

    def _perform(self, messages: Sequence[Message], start: int) -> None:
        if start != self._starts:
            raise invalid_player()
        self._running().perform(messages, current_time())
        self._flush()

    def _make_player(
        self, pattern: HapticPattern, loop_enabled: bool, loop_end: float, playback_rate: float,
        is_muted: bool, is_limited: bool,
    ) -> HapticPatternPlayer:
        rate = limited_rate(playback_rate)
        members: Message = {
            "type": "add", "enabled": loop_enabled or None, "limited": is_limited or None,
            "loop_end": microseconds(loop_end) or None, "muted": is_muted or None,
            "rate": None if rate == 1 else number(rate),
        }
        present = {name: value for name, value in members.items() if value is not None}
        with self.lock:
            session, start = self._running(), self._starts
            player_number = session.new_player()
        # A large pattern is encoded without holding the lock, because the thread that shows that the program is alive
        # needs the lock.
        bodies = encoded_together(
            [{**message, "player": player_number} for message in [*pattern.messages(), present]])
        with self.lock:
            if start != self._starts:
                raise invalid_player()
            session.send_encoded(bodies, current_time())
            player = HapticPatternPlayer(self, player_number, start)
            player._loop_enabled, player._loop_end = loop_enabled, loop_end
            player._rate, player._muted = rate, is_muted
            self._players[player.number] = player
            self._flush()
        return player

    def perform(self, messages: Sequence[Message], start: int) -> None:
        """Sends messages from a player; the messages take effect together."""
        self._perform(messages, start)

    def _ask_output(self, time: float, player: Optional[HapticPatternPlayer]) -> OutputAnswer:
        if player is not None:
            self._check(player)
        answer = self._running().ask_output(
            player.number if player else None, self.server_time(time), current_time())
        self._flush()
        return answer

    # The session

    def _begin(self, key: Optional[bytes]) -> Session:
        self._starts += 1
        self._players.clear()
        self._released.clear()
        self._stop_event = None
        self._session = Session(
            current_time(), locality=self.locality, program=self._program, key=key,
            number=secrets.token_bytes(32) if key is not None else b"")
        return self._session

    def _tick(self) -> list[EngineEvent]:
        session = self._running()
        while self._released and session.is_started and not session.is_over:
            player, start = self._released.popleft()
            if start == self._starts:
                session.perform([{"type": "abandon", "player": player}], current_time())
        return session.tick(current_time())

    def _note(self, events: Iterable[EngineEvent]) -> list[HapticPatternPlayer]:
        """Updates the state of the engine after events. Returns the players that have ended."""
        ended: list[HapticPatternPlayer] = []
        for event in events:
            if isinstance(event, Finished):
                ended += [player for number in event.players if (player := self._players.get(number))]
            elif isinstance(event, Started) and self._muted:
                self._perform([{"type": "mute", "muted": True}], self._starts)
            elif isinstance(event, (Reset, Stopped)):
                ended += self._players.values()
                self._starts += 1
                self._players.clear()
                if isinstance(event, Stopped):
                    self._stop_event = event
        for player in ended:
            player._is_playing = False
        return ended

    def _check_finished(self, player: HapticPatternPlayer) -> None:
        """Raises an error with the reason if a player could not play to its end."""
        if self._stop_event and self._stop_event.error:
            raise self._stop_event.error
        self._check(player)

    def _check(self, player: HapticPatternPlayer) -> None:
        """Raises an error for a player of another engine or of an earlier start."""
        if player._engine is not self or player._start != self._starts:
            raise invalid_player()

    def _start_error(self) -> Exception:
        if self._stop_event and self._stop_event.error:
            return self._stop_event.error
        return EngineStartError(
            HapticErrorCode.ENGINE_START_TIMEOUT, "the engine did not start in time",
            advice=["run `bridge info`, which shows the state of the board"])
