"""Random event code that two devices must process in the same way: operations, slots, copies, and bytes to skip."""

import random

import events
from events import EventDecoder
from protocol import P

LAST_TICK = 5_000
SIZE = 300
# The maximum number of events in one tick that a bus can transfer in time.
CROWD = 8
END = bytes([P.HEAD_END_LITERAL, 40])


def some_bytes(chance, count, most=255):
    return bytes(chance.randint(0, most) for _ in range(count))


def from_slot(chance):
    return bytes([chance.randrange(P.VALUE_SLOTS << 4)])


def copy(chance):
    return bytes([P.HEAD_COPY + chance.randrange(4), chance.randrange(64)])


def value(chance):
    """Returns an arbitrary delta and an operation from 8 to 14. Surplus bytes begin the next event."""
    operation = chance.randint(P.OP_LEVEL_SHARPNESS_ROUND, P.OP_SHARPNESS_RAMP)
    return bytes([operation << 4 | chance.randrange(16)]) + some_bytes(chance, 3, 127)


def after_literal(chance):
    operation = chance.randint(P.OP_LEVEL_SHARPNESS_ROUND, P.OP_SHARPNESS_RAMP)
    return bytes([operation << 4 | P.DELTA_LITERAL, chance.randint(1, 126)]) + some_bytes(chance, 2, 127)


def tap_gain(chance):
    return bytes([P.OP_SPECIAL << 4, 2 << 4 | P.SPECIAL_TAP_GAIN]) + some_bytes(chance, 2, 127)


def any_special(chance):
    length, code = chance.randrange(16), chance.randint(1, 15)
    return bytes([P.OP_SPECIAL << 4, length << 4 | code]) + some_bytes(chance, length)


def malformed(chance):
    """Returns a ramp with a delta literal of more than three bytes and a duration of more than three bytes."""
    return bytes([P.OP_LEVEL_RAMP << 4 | P.DELTA_LITERAL, 0x81, 0x80, 0x80, 50, 0x85, 0x80, 0x80 | chance.randrange(2)])


PIECES = [from_slot] * 5 + [copy] * 4 + [value] * 6 + [after_literal] * 3 + [tap_gain, any_special, malformed]


def stream(seed):
    """Returns random bytes up to the last event that can be rendered in time, followed by END."""
    chance = random.Random(seed)
    data = b"".join(chance.choice(PIECES)(chance) for _ in range(SIZE // 4))
    decoder = EventDecoder()
    decoder.feed(data)
    whole, ticks = 0, []
    for event in iter(decoder.next, None):
        ticks.append(event.tick)
        if event.kind == events.END or event.tick > LAST_TICK or ticks.count(event.tick) > CROWD:
            break
        if not decoder.copies_left:
            whole = decoder.taken
    return data[:whole] + END


def decoded(data):
    decoder = EventDecoder()
    decoder.feed(data)
    return list(iter(decoder.next, None))
