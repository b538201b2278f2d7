"""The engine for programs with asyncio."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import AsyncIterator, Callable, Optional, Union

from .base import START_TIMEOUT, EngineBase
from .events import EngineEvent, HapticOutput, Stopped
from .pattern import HapticPattern
from .player import HapticPatternPlayer
from .server import START_TIME, connect, current_time
from .session import SILENCE_LIMIT, Session


class _Connection(asyncio.Protocol):
    def __init__(self, engine: AsyncHapticEngine, session: Session) -> None:
        self._engine, self._session = engine, session

    def data_received(self, data: bytes) -> None:
        self._engine._handle(self._session, self._session.receive(data, current_time()))

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._engine._handle(self._session, self._session.received_end())


class AsyncHapticEngine(EngineBase):
    """An engine that plays on a board that `bridge serve` serves, on the running event loop.

    The arguments are the same as for `HapticEngine`. If the event loop is blocked for more than 0.25 s, the server
    stops the players.
    """

    def __init__(
        self, port: Optional[str] = None, *, locality: str = "default",
        key_file: Optional[str] = None, program: Optional[str] = None,
    ) -> None:
        super().__init__(port, locality=locality, key_file=key_file, program=program)
        self._transport: Optional[asyncio.WriteTransport] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        self._waiters: set[asyncio.Future[None]] = set()
        self._events: deque[EngineEvent] = deque(maxlen=100)

    async def start(self, timeout: float = START_TIMEOUT) -> None:
        """Starts the engine, or continues after a reset. Returns when the players of the engine can play."""
        if self.is_running:
            return
        if self._session and self._session.is_reset and not self._session.is_over:
            self._session.restart(current_time())
            self._flush()
        else:
            await self._connect()
        await self._wait(lambda: self.is_running or self._stop_event is not None, timeout)
        if not self.is_running:
            error = self._start_error()
            self._close()
            raise error

    async def _connect(self) -> None:
        """Connects, and connects again if a server that is about to end has accepted the connection without
        answering."""
        loop = asyncio.get_running_loop()
        end = current_time() + START_TIME
        while True:
            client, key = await loop.run_in_executor(None, connect, self.requested_port, self._key_file)
            client.setblocking(False)
            session = self._begin(key)
            transport, _ = await loop.create_connection(lambda: _Connection(self, session), sock=client)
            self._transport = transport
            self._flush()
            self._keep_alive(session)
            await self._wait(lambda: session.is_answered or session.is_over, START_TIME)
            if session.is_answered or key is not None or not session.is_over or current_time() > end:
                return

    async def stop(self, timeout: float = SILENCE_LIMIT) -> None:
        """Brings all players to rest, and returns when they are at rest."""
        session = self._session
        if session and not session.is_over:
            session.end(current_time())
            self._flush()
            await self._wait(lambda: session.is_over, timeout)
        self._close()

    def _close(self) -> None:
        if self._session:
            self._session.is_over = True
        if self._timer:
            self._timer.cancel()
        if self._transport:
            self._transport.close()

    async def __aenter__(self) -> AsyncHapticEngine:
        await self.start()
        return self

    async def __aexit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.stop()

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

    async def wait_until_finished(self, player: HapticPatternPlayer, timeout: Optional[float] = None) -> bool:
        """Waits until a player has ended. Returns False if it has not ended after `timeout` seconds.

        Raises an error with the reason if the engine cannot continue to play.
        """
        is_finished = await self._wait(lambda: not player.is_playing, timeout)
        self._check_finished(player)
        return is_finished

    async def output(self, time: float = 0, player: Optional[HapticPatternPlayer] = None) -> Optional[HapticOutput]:
        """Returns the combined output of all players at a time, so that an image can move with it.

        With a player, returns the output of that player alone; None if the player does not play. The time may be up to
        0.2 s in the past and up to 1 s in the future; for earlier times, the output is silent.
        """
        answer = self._ask_output(time, player)
        await self._wait(lambda: answer.is_given or not self.is_running, SILENCE_LIMIT)
        return answer.output or (None if player else HapticOutput())

    async def events(self) -> AsyncIterator[EngineEvent]:
        """Yields the events of the engine until it stops. Only the newest 100 events are stored."""
        while True:
            await self._wait(lambda: bool(self._events), None)
            event = self._events.popleft()
            yield event
            if isinstance(event, Stopped):
                return

    # The event loop

    async def _wait(self, condition: Callable[[], bool], timeout: Optional[float]) -> bool:
        end = None if timeout is None else current_time() + timeout
        while not condition():
            rest = None if end is None else end - current_time()
            if rest is not None and rest <= 0:
                return False
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await asyncio.wait_for(waiter, rest)
            except asyncio.TimeoutError:
                pass
            finally:
                self._waiters.discard(waiter)
        return True

    def _flush(self) -> None:
        if self._session and self._transport and self._session.outgoing:
            self._transport.write(bytes(self._session.outgoing))
            self._session.outgoing.clear()

    def _keep_alive(self, session: Session) -> None:
        if session is not self._session or session.is_over:
            return
        events = self._tick()
        self._handle(session, events)
        self._timer = asyncio.get_running_loop().call_later(
            max(0.0, session.deadline - current_time()), self._keep_alive, session)

    def _handle(self, session: Session, events: list[EngineEvent]) -> None:
        if session is not self._session:
            return
        self._flush()
        ended = self._note(events)
        self._events += events
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        for player in ended:
            if player.completion_handler:
                player.completion_handler()
        if session.is_over and self._transport:
            self._transport.close()
