"""Event code: a decoder that consumes bytes as they are received, and a simple encoder (SPEC 7)."""

from collections import namedtuple

from protocol import P

# `kind` is an operation or one of the kinds below; `tick` is relative to the start of the segment.
Event = namedtuple("Event", "tick kind values")

END = "end"
TAP_GAIN = "tap gain"
WAIT = "wait"
SKIPPED = "skipped"

LITERAL_BYTES = 3
COPY_STEP = 12


class Incomplete(Exception):
    """The exception that is raised if the available bytes end within an event."""


class Malformed(Exception):
    """The exception that is raised if a literal has more than three bytes or if arguments are missing."""


class Bytes:
    """Reads event bytes, beginning with the first byte, without removing them."""

    def __init__(self, data):
        self.data = data
        self.place = 0

    def byte(self):
        if self.place == len(self.data):
            raise Incomplete
        self.place += 1
        return self.data[self.place - 1]

    def literal(self):
        """Returns the value of a literal, and True if the literal is well formed. A malformed literal consumes three
        bytes."""
        value = 0
        for number in range(LITERAL_BYTES):
            byte = self.byte()
            value |= (byte & 0x7F) << 7 * number
            if byte < 0x80:
                return value, True
        return value, False


class Slots:
    """Slots that are filled in turn. After the last slot, the first slot is filled again."""

    def __init__(self, at_first):
        self.values = list(at_first)
        self.next = 0

    def enter(self, value):
        slot = self.next
        self.values[slot] = value
        self.next = (slot + 1) % len(self.values)
        return slot


class EventDecoder:
    def __init__(self):
        self.bytes = bytearray()
        self.taken = 0
        self.tick = 0
        self.level_end = 0
        self.sharpness_end = 0
        silent_taps = [(P.OP_TAP, (0, 0))] * (P.VALUE_SLOTS - 1)
        self.slots = Slots(silent_taps + [(P.OP_LEVEL, (0,))])
        self.deltas = Slots(P.DELTAS_AT_FIRST)
        self.history = [0] * P.HISTORY
        self.entered = 0
        self.copy_from = 0
        self.copies_left = 0

    def feed(self, data):
        self.bytes += data

    def next(self):
        """Returns the next event, or None if not all of its bytes have been received."""
        if self.copies_left:
            self.copies_left -= 1
            first = self.history[self.copy_from % P.HISTORY]
            self.copy_from += 1
            return self.slot_event(first >> 4, first & 0x0F, Bytes(b""))
        reader = Bytes(self.bytes)
        try:
            event = self.read(reader)
        except Incomplete:
            return None
        del self.bytes[: reader.place]
        self.taken += reader.place
        return event or self.next()

    def read(self, reader):
        """Returns an event, or None if the bytes were a COPY. The next calls then return the copied events."""
        self.check_complete()
        first = reader.byte()
        operation, delta = first >> 4, first & 0x0F
        if operation == P.OP_SPECIAL:
            return self.read_special(first, reader)
        if operation < P.VALUE_SLOTS:
            return self.slot_event(operation, delta, reader)
        return self.read_value(operation, delta, reader)

    def check_complete(self):
        """Raises Incomplete unless the whole event has been received, because reading an event changes the slots."""
        reader = Bytes(self.bytes)
        first = reader.byte()
        operation = first >> 4
        if first & 0x0F == P.DELTA_LITERAL or first == P.HEAD_END_LITERAL:
            reader.literal()
        if operation == P.OP_SPECIAL:
            if first < P.HEAD_END_AT_LEVEL_END:
                for _ in range(reader.byte() >> 4):
                    reader.byte()
            elif first >= P.HEAD_COPY:
                reader.byte()
        elif operation >= P.VALUE_SLOTS:
            read_arguments(operation, reader)

    # ---- Time ----

    def advance(self, delta, reader):
        """Advances by a delta. Returns the code of the history for the delta (or None), and True if the
        delta is well formed."""
        if delta == P.DELTA_LITERAL:
            ticks, well_formed = reader.literal()
            self.tick += ticks
            if 1 <= ticks <= 0xFFFF:
                return P.DELTA_SLOT + self.deltas.enter(ticks), well_formed
            return None, well_formed
        if delta == P.DELTA_LEVEL_END:
            self.tick = max(self.tick, self.level_end)
        elif delta == P.DELTA_SHARPNESS_END:
            self.tick = max(self.tick, self.sharpness_end)
        elif delta >= P.DELTA_SLOT:
            self.tick += self.deltas.values[delta - P.DELTA_SLOT]
        return delta, True

    # ---- Values ----

    def slot_event(self, slot, delta, reader):
        code, well_formed = self.advance(delta, reader)
        if not well_formed:
            return Event(self.tick, SKIPPED, ())
        self.remember(slot, code)
        return self.finish(*self.slots.values[slot])

    def read_value(self, operation, delta, reader):
        code, well_formed = self.advance(delta, reader)
        kind, values, arguments_well_formed = read_arguments(operation, reader)
        if not (well_formed and arguments_well_formed):
            return Event(self.tick, SKIPPED, ())
        if kind not in (P.OP_LEVEL_RAMP, P.OP_SHARPNESS_RAMP) or values[1] <= 0xFFFF:
            self.remember(self.slots.enter((kind, values)), code)
        return self.finish(kind, values)

    def remember(self, slot, delta_code):
        if delta_code is not None:
            self.history[self.entered % P.HISTORY] = slot << 4 | delta_code
            self.entered += 1

    def finish(self, kind, values):
        if kind in (P.OP_LEVEL, P.OP_LEVEL_SHARPNESS):
            self.level_end = self.tick
        if kind == P.OP_LEVEL_SHARPNESS:
            self.sharpness_end = self.tick
        if kind == P.OP_LEVEL_RAMP:
            self.level_end = self.tick + values[1]
        if kind == P.OP_SHARPNESS_RAMP:
            self.sharpness_end = self.tick + values[1]
        return Event(self.tick, kind, values)

    # ---- Specials ----

    def read_special(self, first, reader):
        if first >= P.HEAD_COPY:
            argument = reader.byte()
            self.copies_left = (argument >> 5) * COPY_STEP + first - P.HEAD_COPY + P.COPY_MIN
            self.copy_from = self.entered - (argument & 0x1F) - 1
            return None
        if first == P.HEAD_END_AT_LEVEL_END:
            self.advance(P.DELTA_LEVEL_END, reader)
            return Event(self.tick, END, ())
        if first == P.HEAD_END_LITERAL:
            _, well_formed = self.advance(P.DELTA_LITERAL, reader)
            return Event(self.tick, END if well_formed else SKIPPED, ())
        _, well_formed = self.advance(first & 0x0F, reader)
        head = reader.byte()
        arguments = bytes(reader.byte() for _ in range(head >> 4))
        kind, values = special(head & 0x0F, arguments) if well_formed else (SKIPPED, ())
        return Event(self.tick, kind, values)


def read_arguments(operation, reader):
    """Returns the operation that the code abbreviates, its values, and True if the values are well formed."""
    if operation in (P.OP_LEVEL_SHARPNESS_ROUND, P.OP_TAP_ROUND):
        byte = reader.byte()
        kind = P.OP_TAP if operation == P.OP_TAP_ROUND else P.OP_LEVEL_SHARPNESS
        return kind, (P.ROUND_VALUES[byte >> 4], P.ROUND_VALUES[byte & 0x0F]), True
    if operation == P.OP_LEVEL:
        return operation, (reader.byte(),), True
    if operation in (P.OP_TAP, P.OP_LEVEL_SHARPNESS):
        return operation, (reader.byte(), reader.byte()), True
    value = reader.byte()
    duration, well_formed = reader.literal()
    return operation, (value, duration), well_formed


def special(code, arguments):
    if code == P.SPECIAL_END:
        return END, ()
    if code == P.SPECIAL_WAIT:
        return WAIT, ()
    if code == P.SPECIAL_TAP_GAIN:
        reader = Bytes(arguments)
        try:
            gain = reader.byte()
            duration, well_formed = reader.literal()
        except Incomplete:
            return SKIPPED, ()
        if well_formed:
            return TAP_GAIN, (gain, duration)
    return SKIPPED, ()


# ---- Encoder ----


def literal(value):
    """Returns a number of ticks in groups of seven bits, the lowest group first."""
    if not 0 <= value <= P.TICKS_MAX:
        raise ValueError(f"{value} ticks do not fit a literal")
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded) + bytes([value])


def encode_event(event, last_tick):
    delta = event.tick - last_tick
    code = P.DELTA_LITERAL if delta else P.DELTA_ZERO
    time = literal(delta) if delta else b""
    if event.kind in (END, WAIT):
        name = P.SPECIAL_END if event.kind == END else P.SPECIAL_WAIT
        return bytes([P.OP_SPECIAL << 4 | code]) + time + bytes([name])
    if event.kind == TAP_GAIN:
        arguments = bytes([event.values[0]]) + literal(event.values[1])
        head = len(arguments) << 4 | P.SPECIAL_TAP_GAIN
        return bytes([P.OP_SPECIAL << 4 | code]) + time + bytes([head]) + arguments
    first = bytes([event.kind << 4 | code]) + time
    if event.kind in (P.OP_LEVEL_RAMP, P.OP_SHARPNESS_RAMP):
        return first + bytes([event.values[0]]) + literal(event.values[1])
    return first + bytes(event.values)


def encode_events(events):
    """Returns the bytes of events. Each event is encoded completely, without slots and copies."""
    encoded = bytearray()
    last_tick = 0
    for event in events:
        encoded += encode_event(event, last_tick)
        last_tick = event.tick
    return bytes(encoded)
