"""The engine for programs without asyncio, whose functions block."""

from __future__ import annotations

import select
import socket
import threading
import traceback
from collections import deque
from types import TracebackType
from typing import Callable, Optional, Sequence, Union

from .base import START_TIMEOUT, EngineBase
from .errors import EngineStartError
from .events import EngineEvent, HapticOutput
from .pattern import HapticPattern, Message
from .player import HapticPatternPlayer
from .server import START_TIME, connect, current_time
from .session import SILENCE_LIMIT, Session


class HapticEngine(EngineBase):
    """An engine that plays on a board that `bridge serve` serves.

    `port` is the port of the board, or `tcp://HOST:PORT`. Without `port`, the engine uses the port in the environment
    variable BRIDGE_PORT, or else the only board that is served. A thread of the engine reads events and shows the
    server that the program is alive. All functions may be called from any thread.
    """

    def __init__(
        self, port: Optional[str] = None, *, locality: str = "default",
        key_file: Optional[str] = None, program: Optional[str] = None,
        event_handler: Optional[Callable[[EngineEvent], None]] = None,
    ) -> None:
        super().__init__(port, locality=locality, key_file=key_file, program=program)
        # A function that is called with each event, on the thread of the engine. The function must not wait.
        self.event_handler = event_handler
        self.lock = self._changed = threading.Condition(threading.RLock())
        self._events: deque[EngineEvent] = deque(maxlen=100)
        self._socket: Optional[socket.socket] = None
        self._thread: Optional[threading.Thread] = None

    # Starting and stopping

    def start(self, timeout: float = START_TIMEOUT) -> None:
        """Starts the engine, or continues after a reset. Returns when the players of the engine can play."""
        with self._changed:
            if self.is_running:
                return
            if self._session and self._session.is_reset and not self._session.is_over:
                self._session.restart(current_time())
                self._flush()
            else:
                self._connect()
            if not self._wait(lambda: self.is_running or self._stop_event is not None, timeout) or self._stop_event:
                error = self._start_error()
                self._close()
                raise error

    def _connect(self) -> None:
        """Connects, and connects again if a server that is about to end has accepted the connection without
        answering."""
        self._close()
        end = current_time() + START_TIME
        while True:
            self._socket, key = connect(self.requested_port, self._key_file)
            self._socket.settimeout(SILENCE_LIMIT)
            session = self._begin(key)
            self._flush()
            self._thread = threading.Thread(
                target=self._run, args=(session, self._socket), name="haptic-bridge", daemon=True)
            self._thread.start()
            self._wait(lambda: session.is_answered or session.is_over, START_TIME)
            if session.is_answered or key is not None or not session.is_over or current_time() > end:
                return

    def stop(self, timeout: float = SILENCE_LIMIT) -> None:
        """Brings all players to rest, and returns when they are at rest."""
        with self._changed:
            session = self._session
            if session and not session.is_over:
                session.end(current_time())
                self._flush()
                if self._thread is threading.current_thread():
                    return  # A handler has called this on the engine's own thread, which must not be blocked.
                self._wait(lambda: session.is_over, timeout)
        self._close()
        if self._thread:
            self._thread.join(SILENCE_LIMIT)

    def _close(self) -> None:
        if self._session:
            self._session.is_over = True
        if self._socket:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # The server has closed the connection.

    def __enter__(self) -> HapticEngine:
        self.start()
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop()

    # Playing

    def make_player(
        self, pattern: HapticPattern, *, loop_enabled: bool = False, loop_end: float = 0,
        playback_rate: float = 1, is_muted: bool = False, is_limited: bool = False,
    ) -> HapticPatternPlayer:
        """Makes a player for a pattern. With `is_limited`, events without an end are ended after 30 s."""
        return self._make_player(pattern, loop_enabled, loop_end, playback_rate, is_muted, is_limited)

    def play_pattern(self, pattern: Union[HapticPattern, str], time: float = 0) -> HapticPatternPlayer:
        """Plays a pattern, or the AHAP file at a path. Returns its player immediately.

        Events without an end are ended after 30 s.
        """
        if isinstance(pattern, str):
            pattern = HapticPattern.from_file(pattern)
        player = self.make_player(pattern, is_limited=True)
        player.start(time)
        return player

    def wait_until_finished(self, player: HapticPatternPlayer, timeout: Optional[float] = None) -> bool:
        """Waits until a player has ended. Returns False if it has not ended after `timeout` seconds.

        Raises an error with the reason if the engine cannot continue to play.
        """
        with self._changed:
            is_finished = self._wait(lambda: not player.is_playing, timeout)
            self._check_finished(player)
            return is_finished

    def output(self, time: float = 0, player: Optional[HapticPatternPlayer] = None) -> Optional[HapticOutput]:
        """Returns the combined output of all players at a time, so that an image can move with it.

        With a player, returns the output of that player alone; None if the player does not play. The time may be up to
        0.2 s in the past and up to 1 s in the future; for earlier times, the output is silent.
        """
        with self._changed:
            answer = self._ask_output(time, player)
            self._wait(lambda: answer.is_given or not self.is_running, SILENCE_LIMIT)
            return answer.output or (None if player else HapticOutput())

    def next_event(self, timeout: Optional[float] = None) -> Optional[EngineEvent]:
        """Returns the next event; None after the timeout. Only the newest 100 events are stored."""
        with self._changed:
            self._wait(lambda: bool(self._events), timeout)
            return self._events.popleft() if self._events else None

    def perform(self, messages: Sequence[Message], start: int) -> None:
        with self._changed:
            self._perform(messages, start)

    # The thread

    def _wait(self, condition: Callable[[], bool], timeout: Optional[float]) -> bool:
        return self._changed.wait_for(condition, timeout)

    def _flush(self) -> None:
        session, client = self._session, self._socket
        if session is None or client is None or not session.outgoing:
            return
        data = bytes(session.outgoing)
        session.outgoing.clear()
        try:
            client.sendall(data)
        except OSError:
            pass  # The thread reads the reason, and reports it.

    def _run(self, session: Session, client: socket.socket) -> None:
        while not session.is_over:
            wait = max(0.0, session.deadline - current_time())
            readable = bool(select.select([client], [], [], wait)[0])
            try:
                data = client.recv(65_536) if readable else None
            except OSError:
                data = b""
            with self._changed:
                if session is not self._session:
                    break
                if data is None:
                    events = self._tick()
                else:
                    events = session.receive(data, current_time()) if data else session.received_end()
                    events += self._tick()
                self._flush()
                ended = self._note(events)
                self._events += events
                self._changed.notify_all()
            try:
                for player in ended:
                    if player.completion_handler:
                        player.completion_handler()
                for event in events if self.event_handler else ():
                    self.event_handler(event)  # type: ignore[misc]
            except Exception:
                traceback.print_exc()  # An error in a handler must not stop the players.
        client.close()


__all__ = ["EngineStartError", "HapticEngine"]
