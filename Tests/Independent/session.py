"""The host's end of a link, without a line and a clock (SPEC 3 and 4).

Times are in microseconds of the host's clock. `output` contains the bytes to send.
"""

from frames import Frame, FrameReader, encode
from messages import NAMES, pack, unpack, unpack_credits
from protocol import P, signed

HELLO_US = 200_000
URGENT_US = 20_000
QUERY_US = 50_000
RESEND_US = 50_000
KEEP_ALIVE_US = 100_000
# The time after which the device has certainly read a frame.
READ_US = 30_000
# The fields of WELCOME that a host checks, with their ranges.
RANGES = {
    "actuators": range(1, P.ACTUATORS_MAX + 1), "streams": range(1, P.ACTUATORS_MAX + 1),
    "event_memory": range(P.STREAM_MEMORY_MIN, 0x10000), "link_window": range(P.FRAME_MAX, 0x10000),
    "body_max": range(P.BODY_MAX, 0x100),
}


class VersionRefused(Exception):
    """The exception that is raised if the device supports no protocol version of this host. The argument is the
    device's WELCOME."""


class WelcomeInvalid(Exception):
    """The exception that is raised if a field in the device's WELCOME is outside its range. The argument is the
    WELCOME."""


class SessionLost(Exception):
    """The exception that is raised if the device has lost the session of the host and therefore plays nothing."""


class Session:
    def __init__(self, session):
        self.id = session
        self.versions = (P.VERSION_MIN, P.VERSION_MAX)
        self.reader = FrameReader()
        self.reader.session = session
        self.output = bytearray()
        self.welcome = None
        self.hello_due = None
        self.queued = []
        self.unanswered = []
        self.departures = []
        self.next_sequence = 0
        self.acknowledged = 0
        self.link_total = 0
        self.link_limit = 0
        self.credits = {}
        self.rejects = []
        self.reject_total = 0
        self.urgent = {}
        self.urgent_ids = {}
        self.queries = {}
        self.last_tag = 0
        self.answers = {}
        self.notices = []
        self.last_sent = 0
        self.keeps_alive = False

    def send(self, type, sequence, payload, now):
        wire = encode(Frame(type, sequence, payload), self.id)
        self.output += wire
        self.last_sent = now
        return wire

    def take_output(self):
        output = bytes(self.output)
        self.output.clear()
        return output

    # ---- Requests ----

    def connect(self, now):
        self.hello_due = now
        self.poll(now)

    def command(self, message, now, /, tail=b"", **fields):
        """Queues a sequenced message. The session sends it as soon as the link has credit for the message."""
        sequence = self.next_sequence
        self.next_sequence = (sequence + 1) & 0xFF
        frame = Frame(getattr(P, message), sequence, pack(message, tail=tail, **fields))
        self.queued.append(encode(frame, self.id))
        self.send_queued(now)
        return sequence

    def query(self, name, now, **fields):
        """Sends a query. Queues a query. Returns the tag, which is the key of the answer in `answers`."""
        self.last_tag = self.last_tag % 255 + 1
        self.queries[self.last_tag] = [getattr(P, name), pack(name, **fields), now]
        self.send(*self.query_frame(self.last_tag), now)
        return self.last_tag

    def query_frame(self, tag):
        type, payload, _ = self.queries[tag]
        return type, tag, payload

    def stop(self, now):
        """Stops. Queues STOP. The host and the device discard the sequenced messages that were sent before STOP."""
        self.queued.clear()
        self.unanswered.clear()
        self.acknowledged = self.next_sequence
        self.ask_urgently("STOP", now, next_sequence=self.next_sequence, link_total=self.link_total & 0xFFFF)

    def mute(self, now, muted, actuators=0xFFFF):
        self.ask_urgently("MUTE", now, actuators=actuators, muted=int(muted))

    def ask_urgently(self, name, now, **fields):
        id = (self.urgent_ids.get(name, 0) + 1) & 0xFF
        self.urgent_ids[name] = id
        self.urgent[name] = [pack(name, id=id, **fields), now]
        self.send(getattr(P, name), 0, self.urgent[name][0], now)

    def is_answered(self):
        """Returns True if all sequenced messages are acknowledged, and all REJECTs that an ACK counts have been
        received."""
        missing = (self.reject_total - len(self.rejects)) & 0xFF
        return not (self.queued or self.unanswered) and not 0 < missing < 128

    # ---- Sending in sequence ----

    def send_queued(self, now):
        """Sends queued frames while the running total does not exceed the limit."""
        while self.queued and self.may_leave(self.queued[0], now):
            wire = self.queued[0]
            if signed(self.link_limit - self.link_total - len(wire), 16) < 0:
                return
            del self.queued[0]
            self.link_total = (self.link_total + len(wire)) & 0xFFFF
            self.unanswered.append([wire, now])
            self.depart(wire, now)

    def resend(self, count, now):
        for entry in self.unanswered[:count]:
            if self.may_leave(entry[0], now):
                entry[1] = now
                self.depart(entry[0], now)

    def may_leave(self, wire, now):
        """Returns True if the device's window has room for all bytes that the device may not have read, including
        copies."""
        self.departures = [entry for entry in self.departures if now - entry[0] < READ_US]
        unread = sum(size for _, size in self.departures)
        return self.welcome is not None and unread + len(wire) <= self.welcome.link_window

    def depart(self, wire, now):
        self.departures.append((now, len(wire)))
        self.output += wire
        self.last_sent = now

    # ---- Time ----

    def poll(self, now):
        if self.welcome is None:
            if self.hello_due is not None and now >= self.hello_due:
                self.hello_due = now + HELLO_US
                first, last = self.versions
                hello = pack("HELLO", version_min=first, version_max=last, session=self.id, features=0)
                self.send(P.HELLO, 0, hello, now)
            return
        for name, entry in self.urgent.items():
            if now - entry[1] >= URGENT_US:
                entry[1] = now
                self.send(getattr(P, name), 0, entry[0], now)
        for tag, entry in self.queries.items():
            if now - entry[2] >= QUERY_US:
                entry[2] = now
                self.send(*self.query_frame(tag), now)
        if self.unanswered and now - max(entry[1] for entry in self.unanswered) >= RESEND_US:
            self.resend(1, now)
        self.send_queued(now)
        if self.keeps_alive and now - self.last_sent >= KEEP_ALIVE_US and not self.queries:
            self.query("GET_STATUS", now)

    # ---- Receiving ----

    def receive(self, data, now):
        for frame, _ in self.reader.feed(data):
            if frame and NAMES.get(frame.type):
                message = unpack(NAMES[frame.type], frame.payload)
                if message:
                    self.take(NAMES[frame.type], frame.sequence, message, now)

    def take(self, name, sequence, message, now):
        if name == "WELCOME":
            self.take_welcome(message, now)
        elif name == "NO_SESSION":
            if self.welcome:
                raise SessionLost
        elif name == "ACK":
            self.take_ack(message, now)
        elif name == "REJECT":
            self.rejects.append((sequence, message))
            if message.type & P.CLASS_MASK == P.CLASS_QUERY:
                self.queries.pop(sequence, None)
        elif name in ("STOPPED", "MUTED"):
            self.take_urgent_answer("STOP" if name == "STOPPED" else "MUTE", message.id)
        elif sequence:
            self.queries.pop(sequence, None)
            self.answers[sequence] = message
        else:
            self.notices.append((name, message))

    def take_welcome(self, message, now):
        if message.session == self.id and self.welcome is None:
            self.hello_due = None
            if message.version == 0:
                raise VersionRefused(message)
            if any(getattr(message, field) not in values for field, values in RANGES.items()):
                raise WelcomeInvalid(message)
            self.welcome = message
            self.link_limit = message.link_window
            self.send_queued(now)

    def take_urgent_answer(self, name, id):
        if name in self.urgent and self.urgent[name][0][0] == id:
            del self.urgent[name]

    def take_ack(self, message, now):
        """Handles an ACK. Processes an ACK. An ACK that is older than the newest ACK has no effect."""
        read = (message.next_sequence - self.acknowledged) & 0xFF
        if read > len(self.unanswered):
            return
        self.acknowledged = message.next_sequence
        self.reject_total = message.rejects
        del self.unanswered[:read]
        if signed(message.link_limit - self.link_limit, 16) > 0:
            self.link_limit = message.link_limit
        for stream, generation, limit in unpack_credits(message.tail):
            self.credits[stream] = (generation, limit)
        if message.flags & P.ACK_FLAG_RESEND:
            self.resend(len(self.unanswered), now)
        self.send_queued(now)
