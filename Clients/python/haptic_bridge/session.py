"""The protocol of a served board, without I/O: bytes and times are arguments.

The article `ServerProtocol` of the library describes the messages.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections import deque
from typing import Any, Iterable, Iterator, Optional, Sequence

from .errors import EngineInterruptedError, EngineNotRunningError, EngineStartError, HapticError, HapticErrorCode
from .events import Connected, EngineEvent, Faults, Finished, HapticOutput, Measured, Reset, Started, Stopped
from .pattern import Message, microseconds

PROTOCOL_VERSION = 3
# The maximum length of a message, in bytes.
LENGTH_MAX = 65_536
# The interval between messages that show that this program is alive, in seconds.
ALIVE_INTERVAL = 0.06
# The time without a message after which the server is considered lost, in seconds.
SILENCE_LIMIT = 2.0
# The interval between queries of a remote clock, in seconds, and the number of answers that are needed before times are
# converted.
CLOCK_INTERVAL, CLOCK_ANSWERS = 0.005, 8

_GREETING = "haptic-bridge 1 "
_SAME_VERSION = "install the same version of both programs"


class ProtocolError(Exception):
    """The error for invalid bytes or messages from the server."""


def encode(message: Message) -> bytes:
    """Returns a message as JSON, with the members sorted by name."""
    return json.dumps(
        message, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def encoded_together(messages: Sequence[Message]) -> list[bytes]:
    """Returns messages that take effect together as JSON."""
    return [encode({**message, "more": True}) for message in messages[:-1]] + [encode(messages[-1])]


class Seal:
    """Creates and checks the authentication codes of messages."""

    def __init__(self, sending: bytes, receiving: bytes) -> None:
        self._keys = (sending, receiving)
        self._counts = [0, 0]

    def code(self, message: bytes, is_received: bool = False) -> bytes:
        """Returns the code of the next message that is sent, or that is received."""
        index = int(is_received)
        number = self._counts[index].to_bytes(8, "big")
        self._counts[index] += 1
        return hmac.digest(self._keys[index], number + message, hashlib.sha256)


class Framing:
    """Divides a stream of bytes into messages."""

    def __init__(self, seal: Optional[Seal] = None) -> None:
        self.seal = seal
        self._received = bytearray()

    def frame(self, body: bytes) -> bytes:
        """Returns the bytes of a message in JSON."""
        if len(body) > LENGTH_MAX:
            raise ValueError(f"the message has {len(body)} bytes; the maximum is {LENGTH_MAX}")
        data = len(body).to_bytes(4, "big") + body
        return data + self.seal.code(data) if self.seal else data

    def receive(self, data: bytes) -> Iterator[Message]:
        """Returns the messages that are complete.

        Raises ProtocolError for a message that is too long, not authentic or not an object.
        """
        self._received += data
        while len(self._received) >= 4:
            length = int.from_bytes(self._received[:4], "big")
            if length > LENGTH_MAX:
                raise ProtocolError(f"the message has {length} bytes; the maximum is {LENGTH_MAX}")
            end = 4 + length
            whole = end + (hashlib.sha256().digest_size if self.seal else 0)
            if len(self._received) < whole:
                return
            framed, code = bytes(self._received[:end]), bytes(self._received[end:whole])
            del self._received[:whole]
            if self.seal and not hmac.compare_digest(self.seal.code(framed, True), code):
                raise ProtocolError("the authentication code of the message does not match the key")
            try:
                message = json.loads(framed[4:])
            except (ValueError, RecursionError) as error:
                raise ProtocolError(f"not JSON: {error}") from error
            if not isinstance(message, dict) or not isinstance(message.get("type"), str):
                raise ProtocolError("expected an object with the member `type`")
            yield message


class Handshake:
    """Proves to a server on another computer that this program has the key, and checks that the server also has the
    key."""

    LINE_MAX = 130

    def __init__(self, key: bytes, number: bytes) -> None:
        self._key, self._number = key, number
        self._server: Optional[bytes] = None
        self._received = bytearray()

    def _code(self, purpose: str) -> bytes:
        assert self._server is not None
        return hmac.digest(self._key, purpose.encode() + self._server + self._number, hashlib.sha256)

    def receive(self, data: bytes) -> tuple[bytes, Optional[Seal], bytes]:
        """Reads lines. Returns the bytes to send and, after the last line, the seal and the remaining bytes."""
        self._received += data
        answer = b""
        while True:
            line, feed, rest = self._received.partition(b"\n")
            if not feed:
                if len(line) > self.LINE_MAX:
                    raise ProtocolError("the program at this address does not serve a board")
                return answer, None, b""
            self._received = bytearray(rest)
            text = line.decode("latin-1")
            if self._server is None:
                self._server = self._greeting(text)
                answer = f"{self._number.hex()} {self._code('client proves').hex()}\n".encode()
            elif not hmac.compare_digest(text.lower().encode("latin-1"), self._code("server proves").hex().encode()):
                raise ProtocolError("the server has a different key")
            else:
                return answer, Seal(self._code("client speaks"), self._code("server speaks")), bytes(rest)

    def _greeting(self, line: str) -> bytes:
        try:
            number = bytes.fromhex(line[len(_GREETING):])
        except ValueError:
            number = b""
        if not line.startswith(_GREETING) or len(number) != 32:
            raise ProtocolError("the program at this address does not serve a board")
        return number


class RemoteClock:
    """The offset between the clock of this computer and the clock of the server."""

    # The maximum drift between two clocks.
    DRIFT = 200e-6

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float, float]] = deque(maxlen=64)

    def record(self, sent: float, answered: float, received: float) -> None:
        """Records an answer. All times are in seconds."""
        if received >= sent:
            middle = (sent + received) / 2
            self._samples.append((middle, answered - middle, (received - sent) / 2))

    @property
    def is_known(self) -> bool:
        """True if there are enough answers to convert times."""
        return len(self._samples) >= CLOCK_ANSWERS

    def offset(self, now: float) -> float:
        """Returns the number of seconds to add to a time on this computer's clock."""
        if not self._samples:
            return 0
        return min(self._samples, key=lambda sample: sample[2] + max(0, now - sample[0]) * self.DRIFT)[1]


class OutputAnswer:
    """The answer to a query about the output. `output` is None if no player plays."""

    def __init__(self) -> None:
        self.is_given = False
        self.output: Optional[HapticOutput] = None

    def give(self, message: Message) -> None:
        """Reads the answer from the server."""
        if "intensity" in message:
            self.output = HapticOutput(float(message["intensity"]), float(message["sharpness"]))
        self.is_given = True


class Session:
    """The client's side of a connection.

    `outgoing` collects the bytes to be sent. When `is_over` is true, no more bytes are sent or received.
    """

    def __init__(
        self, now: float, *, locality: str = "default", program: str = "a Python program",
        key: Optional[bytes] = None, number: bytes = b"",
    ) -> None:
        self.outgoing = bytearray()
        self.is_over = False
        # True if any message has been received.
        self.is_answered = False
        self.is_started = False
        self.is_reset = False
        self.port: Optional[str] = None
        self._framing = Framing()
        self._handshake = Handshake(key, number) if key is not None else None
        self._clock = RemoteClock() if key is not None else None
        self._sent = self._asked = self._received = self._ticked = now
        self._player = 0
        # The queries for the output that have not been answered yet, oldest first.
        self._answers: deque[OutputAnswer] = deque()
        self._hello: Message = {
            "type": "hello", "version": PROTOCOL_VERSION, "purpose": "play",
            "locality": locality, "program": program, "output": True,
        }
        if self._handshake is None:
            self._send([self._hello])

    # Sending

    def _send(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.outgoing += self._framing.frame(encode(message))

    def perform(self, messages: Sequence[Message], now: float) -> None:
        """Sends messages that take effect together."""
        self.send_encoded(encoded_together(messages), now)

    def send_encoded(self, bodies: Iterable[bytes], now: float) -> None:
        """Sends messages in JSON."""
        self._check_running()
        for body in bodies:
            self.outgoing += self._framing.frame(body)
        self._sent = now

    def new_player(self) -> int:
        """Returns the number of a new player."""
        self._check_running()
        self._player += 1
        return self._player

    def _check_running(self) -> None:
        if self.is_over or not self.is_started:
            raise EngineNotRunningError(
                HapticErrorCode.ENGINE_NOT_RUNNING, "the engine is not running; call start() first")

    def ask_output(self, player: Optional[int], time: Optional[int], now: float) -> OutputAnswer:
        """Queries the output of a player, or of all players. Returns an answer that is filled in later."""
        message: Message = {"type": "output", "player": player, "time": time}
        self.perform([{name: value for name, value in message.items() if value is not None}], now)
        answer = OutputAnswer()
        self._answers.append(answer)
        return answer

    def restart(self, now: float) -> None:
        """Continues after a reset of the board. `Started` follows."""
        self._send([{"type": "restart"}])
        self.is_reset, self._sent = False, now

    def end(self, now: float) -> None:
        """Brings all players to rest. `Stopped` follows."""
        if not self.is_over and self._handshake is None:
            self._send([{"type": "end"}])
            self._sent = now

    def server_time(self, time: float, now: float) -> Optional[int]:
        """Returns a time in the form in which it is sent; None for 0, which means "now"."""
        if time == 0:
            return None
        microseconds(time)
        offset = self._clock.offset(now) if self._clock else 0
        return max(0, math.floor((time + offset) * 1e6 + 0.5))

    # Time

    @property
    def deadline(self) -> float:
        """The time at which `tick` must be called."""
        end = self._received + SILENCE_LIMIT
        if self._handshake is not None:
            return end
        first = min(self._sent, self._asked) if self._clock else self._sent
        return min(first + self._interval, end)

    @property
    def _interval(self) -> float:
        return CLOCK_INTERVAL if self._clock and not self._clock.is_known else ALIVE_INTERVAL

    def tick(self, now: float) -> list[EngineEvent]:
        """Sends the messages that are due at this time."""
        # If this program did not run for some time, the bytes that have arrived in the meantime have not been read yet.
        if self._handshake is None and now - self._ticked > SILENCE_LIMIT / 2:
            self._received = now
        self._ticked = now
        if self.is_over:
            return []
        if now - self._received > SILENCE_LIMIT:
            return [self._lost("the process that serves the board does not answer")]
        if now >= self.deadline and self._handshake is None:
            asks = self._clock is not None
            self._send([{"type": "clock", "time": round(now * 1e6)} if asks else {"type": "alive"}])
            self._sent = self._asked = now
        return []

    # Receiving

    def receive(self, data: bytes, now: float) -> list[EngineEvent]:
        """Returns the events in the bytes that have arrived."""
        events: list[EngineEvent] = []
        if self.is_over:
            return events
        self._received = now
        try:
            for message in self._framing.receive(self._opened(data)):
                self.is_answered = True
                event = self._event(message, now)
                if event is not None:
                    events.append(event)
                if self.is_over:
                    break
        except ProtocolError as error:
            events.append(self._lost(f"invalid message from the process that serves the board: {error}"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            events.append(self._lost(
                f"invalid message from the process that serves the board: {error!r}; {_SAME_VERSION}"))
        return events

    def received_end(self) -> list[EngineEvent]:
        """Returns the events of a connection that the server has closed."""
        if self.is_over:
            return []
        if self._handshake is not None:
            return [self._lost("the server has closed the connection: it has a different key, "
                               "or cannot accept more connections")]
        return [self._lost("the process that serves the board has ended")]

    def _opened(self, data: bytes) -> bytes:
        if self._handshake is None:
            return data
        answer, seal, rest = self._handshake.receive(data)
        self.outgoing += answer
        if seal is None:
            return b""
        self._handshake, self._framing.seal = None, seal
        self._send([self._hello])
        return rest

    def _lost(self, reason: str) -> Stopped:
        return self._stopped(HapticErrorCode.SERVER_INTERRUPTED, {"reason": reason})

    def _stopped(self, code: int, message: Message, is_suspended: bool = False) -> Stopped:
        self.is_over = True
        if not self.is_started and code == HapticErrorCode.SERVER_INTERRUPTED:
            code = HapticErrorCode.SERVER_INIT_FAILED
        kind: type[HapticError] = EngineInterruptedError if self.is_started else EngineStartError
        error = kind(
            code, str(message.get("reason", "the request was rejected")), port=message.get("port"),
            faults=int(message.get("faults", 0)), advice=[str(text) for text in message.get("advice", [])])
        return Stopped(error, is_suspended)

    def _event(self, message: Message, now: float) -> Optional[EngineEvent]:
        """Returns the event that a message reports; None if it reports no event or has an unknown type."""
        kind: Any = message["type"]
        if kind == "connected":
            self.port = str(message["port"])
            return Connected(self.port, message.get("identity"))
        if kind == "started":
            self.is_started = True
            return Started()
        if kind == "finished":
            return Finished(tuple(int(player) for player in message["players"]))
        if kind == "measured":
            return Measured(dict(message["statistics"]))
        if kind == "faults":
            return Faults(int(message["faults"]), tuple(message.get("advice", ())))
        if kind == "reset":
            self.is_started, self.is_reset = False, True
            return Reset()
        if kind in ("failed", "lost", "suspended"):
            return self._stopped(int(message["code"]), message, kind == "suspended")
        if kind == "refused":
            return self._stopped(HapticErrorCode.SERVER_INTERRUPTED, message)
        if kind == "stopped":
            self.is_over = True
            return Stopped()
        if kind == "output" and self._answers:
            self._answers.popleft().give(message)
        if kind == "clock" and self._clock:
            self._clock.record(message["sent"] / 1e6, message["time"] / 1e6, now)
        return None

    @property
    def is_ready(self) -> bool:
        """True if the engine has started and times can be converted."""
        return self.is_started and (self._clock is None or self._clock.is_known)
