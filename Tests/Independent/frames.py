"""Frames: CRC-32C, byte stuffing, and a reader that extracts complete frames from arbitrary bytes (SPEC 2)."""

from collections import namedtuple

from protocol import P

Frame = namedtuple("Frame", "type sequence payload")


def crc_step(register):
    for _ in range(8):
        register = (register >> 1) ^ (P.CRC_POLYNOMIAL if register & 1 else 0)
    return register


CRC_TABLE = [crc_step(byte) for byte in range(256)]


def crc(data, session=0):
    register = P.CRC_INIT ^ session
    for byte in data:
        register = (register >> 8) ^ CRC_TABLE[(register ^ byte) & 0xFF]
    return register ^ P.CRC_XOROUT


def stuff(body):
    """Encodes bytes with COBS: as blocks of up to 254 bytes without a zero, each preceded by the length of the block
    plus one."""
    stuffed = bytearray()
    blocks = body.split(b"\0")
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        while len(block) > 254 or (len(block) == 254 and not last):
            stuffed += b"\xff" + block[:254]
            block = block[254:]
        if len(block) == 254:
            stuffed += b"\xff" + block
        else:
            stuffed += bytes([len(block) + 1]) + block
    return bytes(stuffed)


def unstuff(stuffed):
    """Returns the body, or None if the bytes are not valid COBS."""
    body = bytearray()
    place = 0
    while place < len(stuffed):
        code = stuffed[place]
        block = stuffed[place + 1 : place + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            return None
        body += block
        place += code
        if code < 255 and place < len(stuffed):
            body.append(0)
    return bytes(body)


def seed_of(type, session):
    return 0 if type & P.CLASS_MASK == P.CLASS_CONNECT else session


def body_of(frame, session):
    body = bytes([frame.type, frame.sequence]) + frame.payload
    return body + crc(body, seed_of(frame.type, session)).to_bytes(4, "little")


def encode(frame, session):
    """Returns the bytes of a frame on the wire, including its delimiter."""
    return stuff(body_of(frame, session)) + bytes([P.DELIMITER])


def decode(stuffed, session):
    """Returns the frame in the bytes between two delimiters, or None if the frame is damaged."""
    if len(stuffed) >= P.FRAME_MAX:
        return None
    body = unstuff(stuffed)
    if body is None or not P.BODY_MIN <= len(body) <= P.BODY_MAX:
        return None
    content, check = body[: -P.CRC_SIZE], body[-P.CRC_SIZE :]
    if crc(content, seed_of(body[0], session)) != int.from_bytes(check, "little"):
        return None
    return Frame(content[0], content[1], content[P.HEADER_SIZE :])


class FrameReader:
    """A reader that consumes bytes as they are received. `feed` yields (frame, wire size) for each frame. For a damaged
    frame, `frame` is None."""

    def __init__(self):
        self.session = 0
        self.pending = bytearray()

    def feed(self, data):
        """Yields the frames one by one, so that a HELLO can change the session before the next frame is read."""
        for byte in data:
            if byte != P.DELIMITER:
                if len(self.pending) < P.FRAME_MAX:
                    self.pending.append(byte)
            elif self.pending:
                stuffed = bytes(self.pending)
                self.pending.clear()
                yield decode(stuffed, self.session), len(stuffed) + 1
