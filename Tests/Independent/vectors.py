"""Tests both ends with Firmware/protocol/vectors, whose README describes the format of the lines."""

import re
from types import SimpleNamespace

import frames
import messages
from core import Device
from frames import Frame, FrameReader
from protocol import P, PROTOCOL
from report import Failure, expect, expect_equal
from session import Session, SessionLost, VersionRefused

VECTORS = PROTOCOL / "vectors"
SESSION = 0x12345678


def lines(path):
    for line in path.read_text().splitlines():
        fields = line.split("#")[0].split()
        if fields:
            yield fields


def data(text):
    return b"" if text == "-" else bytes.fromhex(text)


# ---- frames.txt ----


def check_frames():
    for fields in lines(VECTORS / "frames.txt"):
        FRAME_LINES[fields[0]](*fields[1:])


def check_crc(session, content, value):
    expect_equal(frames.crc(data(content), int(session, 16)), int(value, 16), f"the CRC of {content}")


def check_cobs(body, stuffed):
    expect_equal(frames.stuff(data(body)), data(stuffed), f"{body} stuffed")
    expect_equal(frames.unstuff(data(stuffed)), data(body), f"{stuffed} unstuffed")


def check_uncobs(stuffed):
    expect_equal(frames.unstuff(data(stuffed)), None, f"{stuffed} unstuffed")


def check_frame(name, session, type, sequence, payload, body, wire):
    frame = Frame(int(type, 16), int(sequence, 16), data(payload))
    session = int(session, 16)
    expect_equal(frames.body_of(frame, session), data(body), f"the body of {name}")
    expect_equal(frames.encode(frame, session), data(wire), f"{name} on the wire")
    expect_equal(frames.decode(data(wire)[:-1], session), frame, name)


def check_stream(name, session, expected, damaged, wire):
    reader = FrameReader()
    reader.session = int(session, 16)
    found = [frame for frame, _ in reader.feed(data(wire))]
    whole = ",".join(f"{frame.type:02x}:{frame.sequence:02x}" for frame in found if frame)
    expect_equal(whole or "-", expected, f"the frames of {name}")
    expect_equal(found.count(None), int(damaged), f"the damaged frames of {name}")


FRAME_LINES = {
    "crc": check_crc,
    "cobs": check_cobs,
    "uncobs": check_uncobs,
    "frame": check_frame,
    "stream": check_stream,
}

# ---- messages.txt ----


def check_messages():
    for type, name, *fields in lines(VECTORS / "messages.txt"):
        colon = fields.index(":")
        payload = bytes.fromhex("".join(fields[colon + 1 :]))
        expect_equal(getattr(P, name), int(type, 16), f"the type of {name}")
        values, tail = field_values(name, fields[:colon])
        expect_equal(messages.pack(name, tail=tail, **values).hex(" "), payload.hex(" "), name)
        message = vars(messages.unpack(name, payload))
        expect_equal(message.pop("tail", b""), tail, f"the list of {name}")
        expect_equal(message, values, f"the fields of {name}")


def field_values(name, fields):
    """Returns the fixed fields, keyed by their names, and the bytes of the list at the end."""
    layout = messages.LAYOUTS[name]
    pairs = [field.split("=") for field in fields]
    values = {}
    for (field, text), code in zip(pairs, layout.codes):
        values[field] = data(text) if code.endswith("s") else int(text, 0)
    rest = pairs[len(layout.codes) :]
    if name == "ACK":
        numbers = [int(text, 0) for _, text in rest]
        return values, messages.pack_credits(zip(numbers[::3], numbers[1::3], numbers[2::3]))
    return values, b"".join(data(text) for _, text in rest)


# ---- sessions/ ----


def transcript(path):
    for time, mark, *fields in lines(path):
        yield SimpleNamespace(time=int(time), mark=mark, fields=fields)


def pattern_of(line):
    """Returns a regular expression for the body of a line."""
    if line.fields[0] == "body":
        parts = [b"." if field == ".." else re.escape(bytes.fromhex(field)) for field in line.fields[1:]]
    else:
        parts = [re.escape(frames.unstuff(bytes.fromhex(line.fields[0])[:-1]))]
    return re.compile(b"".join(parts), re.DOTALL)


def filled(line):
    """Returns the bytes in a line of a device. Each arbitrary byte is 0, and the CRC is valid."""
    if line.fields[0] != "body":
        return bytes.fromhex(line.fields[0])
    body = bytes(0 if field == ".." else int(field, 16) for field in line.fields[1:])
    frame = Frame(body[0], body[1], body[P.HEADER_SIZE : -P.CRC_SIZE])
    return frames.encode(frame, SESSION)


class DeviceRun:
    """Plays the device's end of a transcript, in virtual time."""

    def __init__(self):
        self.boot(0, P.RESET_POWER, 1)

    def boot(self, time, cause, count):
        self.device = Device(cause=cause, boot_count=count)
        self.booted = time
        self.sent = []
        self.count = count
        self.collect()

    def collect(self):
        self.sent += [frame + b"\0" for frame in self.device.take_output().split(b"\0") if frame]

    def advance(self, time):
        now = P.CLOCK_AT_BOOT + time - self.booted
        while (due := self.device.next_time()) is not None and due <= now:
            self.device.advance(due)
        self.device.advance(now)
        self.collect()

    def feed(self, wire, time):
        self.device.receive(wire, P.CLOCK_AT_BOOT + time - self.booted)
        self.collect()

    def take(self, pattern):
        """Returns True if a matching frame was sent, and removes the frame from the list."""
        for place, wire in enumerate(self.sent):
            if pattern.fullmatch(frames.unstuff(wire[:-1])):
                del self.sent[place]
                return True
        return False

    def unlisted(self):
        notices = (P.STATUS, P.STREAM)
        bodies = [frames.unstuff(wire[:-1]) for wire in self.sent]
        return [body.hex(" ") for body in bodies if not (body[0] in notices and body[1] == 0)]


def check_device(path):
    run = DeviceRun()
    for line in transcript(path):
        run.advance(line.time)
        if line.mark == "*":
            run.boot(line.time, int(line.fields[1]), run.count + 1)
        elif line.mark == ">":
            expect(not run.unlisted(), f"before {line.time} the device also sent {run.unlisted()}")
            run.feed(bytes.fromhex(line.fields[0]), line.time)
        elif line.mark.endswith("<") and not run.take(pattern_of(line)):
            raise Failure(f"at {line.time} the device did not send {' '.join(line.fields)}, but {run.unlisted()}")
    run.advance(line.time + 1_000_000)
    expect(not run.unlisted(), f"at the end the device also sent {run.unlisted()}")


class HostRun:
    """Plays the host's end of a transcript. The host repeats frames automatically; calls request all other messages."""

    def __init__(self):
        self.session = Session(SESSION)
        self.sent = []
        self.ended = None

    def collect(self):
        self.sent += [frame + b"\0" for frame in self.session.take_output().split(b"\0") if frame]

    def poll(self, now):
        self.session.poll(now)
        self.collect()

    def feed(self, wire, now):
        try:
            self.session.receive(wire, now)
        except (SessionLost, VersionRefused) as reason:
            self.ended = type(reason)
        self.collect()

    def tell(self, wire, now):
        """Causes the host to send the message in a line with the call that an application would use."""
        frame = frames.decode(wire[:-1], SESSION)
        name = messages.NAMES[frame.type]
        fields = vars(messages.unpack(name, frame.payload))
        kind = frame.type & P.CLASS_MASK
        if name == "HELLO":
            self.session.versions = (fields["version_min"], fields["version_max"])
            self.session.connect(now)
        elif name == "STOP":
            self.session.stop(now)
        elif kind == P.CLASS_QUERY:
            self.session.query(name, now, **fields)
        else:
            self.session.command(name, now, **fields)
        self.collect()


ENDS = {"reset.txt": SessionLost, "version.txt": VersionRefused}


def check_host(path):
    run = HostRun()
    for line in transcript(path):
        run.poll(line.time)
        if line.mark == "<":
            run.feed(filled(line), line.time)
        elif line.mark.endswith(">"):
            wire = bytes.fromhex(line.fields[0])
            if not run.sent:
                run.tell(wire, line.time)
            expect_equal(run.sent.pop(0).hex(), wire.hex(), f"the frame that the host sends at {line.time}")
    expect(not run.sent, f"the host also sent {[wire.hex() for wire in run.sent]}")
    expect_equal(run.ended, ENDS.get(path.name), "the reason for the end of the session")


def checks():
    yield "vectors/frames.txt", check_frames
    yield "vectors/messages.txt", check_messages
    for path in sorted((VECTORS / "sessions").glob("*.txt")):
        yield f"vectors/sessions/{path.name}, device", lambda path=path: check_device(path)
        yield f"vectors/sessions/{path.name}, host", lambda path=path: check_host(path)
