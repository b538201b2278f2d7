"""A device without a line and a clock. The inputs of the device are bytes and times; its outputs are bytes and
levels.

The device implements SPEC 3, 4 and 9, with one actuator and one stream. Times are in microseconds; they start at
CLOCK_AT_BOOT and do not wrap.
"""

from actuator import Actuator, Refused, is_signed
from commands import HANDLERS, require_actuator, require_rest, require_stream
from frames import Frame, FrameReader, encode
from messages import LAYOUTS, NAMES, pack, pack_credits, unpack
from player import Player
from protocol import P, signed

LINK_WINDOW = 192
FEATURES = P.FEATURE_REVISE | P.FEATURE_CALIBRATION | P.FEATURE_STORAGE
NO_CONFIGURATION = bytes(P.CONFIGURATION_SIZE - 1)
MIN_UPDATE_US = 5_000
DRIVER = 0x5A


class Device:
    def __init__(self, event_memory=512, board_id=0x0123456789ABCDEF, cause=P.RESET_POWER, boot_count=1):
        self.event_memory = event_memory
        self.board_id = board_id
        self.cause = cause
        self.boot_count = boot_count
        self.reader = FrameReader()
        self.output = bytearray()
        self.levels = []
        self.actuator = Actuator()
        self.actuator.heat_counted = P.CLOCK_AT_BOOT
        self.player = Player(0, None)
        self.player.state = P.STREAM_CLOSED
        self.stream_actuators = 0
        self.faults = self.fault_total = 0
        self.damaged = self.dead_man_trips = 0
        self.late_events = self.latest = self.skipped_taps = self.underruns = 0
        self.told_status = self.told_stream = None
        self.last_frame = P.CLOCK_AT_BOOT
        self.begin_session(0)
        self.send_no_session(P.CLOCK_AT_BOOT)

    def begin_session(self, session):
        self.reader.session = session
        self.expected = 0
        self.link_total = 0
        self.rejects = 0
        self.last_reject = (0, 0, 0)
        self.granted = 0
        self.last_ids = {}
        self.actuator.gain, self.actuator.muted = 255, False

    # ---- Bytes ----

    def send(self, name, sequence, payload):
        self.output += encode(Frame(getattr(P, name), sequence, payload), self.reader.session)

    def take_output(self):
        output = bytes(self.output)
        self.output.clear()
        return output

    def receive(self, data, now):
        """Handles received bytes. If the device receives several frames without a session, it answers only one of
        them."""
        lost = False
        for frame, size in self.reader.feed(data):
            connects = frame and frame.type & P.CLASS_MASK == P.CLASS_CONNECT
            if connects:
                self.take_connect(frame, now)
            elif not self.reader.session:
                lost = True
                self.damaged += 1
            elif frame is None:
                self.damaged += 1
                self.send_ack(P.ACK_FLAG_RESEND)
            elif not frame.type & P.FROM_DEVICE:
                self.last_frame = now
                self.take(frame, size, now)
        if lost:
            self.send_no_session(now)
        self.advance(now)

    def take(self, frame, size, now):
        kind = frame.type & P.CLASS_MASK
        if kind == P.CLASS_SEQUENCED:
            self.take_sequenced(frame, size, now)
            return
        try:
            message = self.read(frame)
            if kind == P.CLASS_URGENT:
                self.take_urgent(NAMES[frame.type], message, now)
            else:
                self.answer(NAMES[frame.type], message, frame.sequence, now)
        except Refused as refusal:
            self.reject(frame, refusal)

    def read(self, frame):
        name = NAMES.get(frame.type)
        if name is None:
            raise Refused(P.REJECT_UNKNOWN_MESSAGE)
        message = unpack(name, frame.payload)
        if message is None:
            raise Refused(P.REJECT_LENGTH, len(frame.payload), LAYOUTS[name].least)
        return message

    # ---- Class CONNECT ----

    def take_connect(self, frame, now):
        hello = unpack("HELLO", frame.payload) if frame.type == P.HELLO else None
        if hello is None:
            return
        version = min(hello.version_max, P.VERSION_MAX)
        if version < max(hello.version_min, P.VERSION_MIN) or hello.session == 0:
            version = 0
        elif hello.session != self.reader.session:
            self.close_stream(now)
            self.actuator.end_calibration(now, P.CALIBRATION_FAILED)
            self.begin_session(hello.session)
        self.send(
            "WELCOME", 0,
            pack(
                "WELCOME", version=version, version_min=P.VERSION_MIN, version_max=P.VERSION_MAX,
                session=hello.session, features=FEATURES, board_id=self.board_id, firmware=0x0100,
                actuators=1, streams=1, event_memory=self.event_memory, link_window=LINK_WINDOW,
                body_max=P.BODY_MAX, reset_cause=self.cause, boot_count=self.boot_count,
                clock=now & 0xFFFFFFFF, kind=P.BOARD_VIRTUAL,
            ),
        )

    def send_no_session(self, now):
        clock = now & 0xFFFFFFFF
        payload = pack("NO_SESSION", reset_cause=self.cause, boot_count=self.boot_count, clock=clock)
        self.send("NO_SESSION", 0, payload)

    # ---- Class URGENT ----

    def take_urgent(self, name, message, now):
        is_new = self.last_ids.get(name) != message.id
        self.last_ids[name] = message.id
        self.send("STOPPED" if name == "STOP" else "MUTED", 0, bytes([message.id]))
        if is_new and name == "STOP":
            self.stop(message, now)
        elif is_new and message.actuators & 1:
            self.actuator.muted = bool(message.muted)
            self.actuator.end_calibration(now, P.CALIBRATION_FAILED)

    def stop(self, message, now):
        self.close_stream(now)
        self.actuator.end_calibration(now, P.CALIBRATION_FAILED)
        if (message.next_sequence - self.expected) & 0xFF < 128:
            self.expected = message.next_sequence
            self.link_total = message.link_total

    # ---- Class SEQUENCED ----

    def take_sequenced(self, frame, size, now):
        distance = signed(frame.sequence - self.expected, 8)
        if distance:
            self.send_ack(P.ACK_FLAG_RESEND if distance > 0 else 0)
            return
        self.expected = (self.expected + 1) & 0xFF
        self.link_total += size
        try:
            message = self.read(frame)
            HANDLERS[NAMES[frame.type]](self, message, now)
        except Refused as refusal:
            self.reject(frame, refusal)
        self.send_ack(0)

    def reject(self, frame, refusal):
        self.rejects = (self.rejects + 1) & 0xFF
        self.last_reject = (frame.sequence, frame.type, refusal.code)
        payload = pack("REJECT", type=frame.type, code=refusal.code, offset=refusal.offset, limit=refusal.limit)
        self.send("REJECT", frame.sequence, payload)

    def send_ack(self, flags):
        credits = []
        if self.player.state != P.STREAM_CLOSED:
            if self.has_freed_a_quarter():
                self.granted = self.player.event_limit()
            credits.append((0, self.player.newest().generation, self.granted & 0xFFFF))
        payload = pack(
            "ACK", next_sequence=self.expected, flags=flags, rejects=self.rejects,
            link_limit=(self.link_total + LINK_WINDOW) & 0xFFFF, tail=pack_credits(credits),
        )
        self.send("ACK", 0, payload)

    def has_freed_a_quarter(self):
        return self.player.event_limit() - self.granted >= max(1, self.player.capacity // 4)

    def close_stream(self, now):
        if self.player.state != P.STREAM_CLOSED:
            self.player.state = P.STREAM_CLOSED
            self.player.segment.generation = self.player.newest().generation
            self.player.tap = self.player.revision = None
            self.player.shown = 0
            self.actuator.rest(now)
            self.write(0, now)

    # ---- Class QUERY ----

    def answer(self, name, message, tag, now):
        if name == "CLOCK":
            times = pack("CLOCK_REPLY", receive=now & 0xFFFFFFFF, transmit=now & 0xFFFFFFFF)
            self.send("CLOCK_REPLY", tag, times)
        elif name == "GET_STATUS":
            self.send("STATUS", tag, self.status(now))
        elif name == "GET_STREAM":
            require_stream(message.stream)
            self.send("STREAM", tag, self.stream())
        elif name == "GET_FIRMWARE":
            self.send("FIRMWARE", tag, pack("FIRMWARE", block=message.block))
        elif name == "GET_SENSOR":
            self.send("SENSOR_STATE", tag, pack("SENSOR_STATE", kind=P.SENSOR_NONE, recording=P.RECORDING_NONE))
        elif name == "PROBE":
            self.send("PROBED", tag, pack("PROBED", address=self.probe(message.address)))
        else:
            require_actuator(message.actuator)
            if name == "GET_ACTUATOR":
                self.send("ACTUATOR", tag, self.describe_actuator())
            else:
                c = self.actuator.configuration
                payload = pack("CONFIGURATION", **vars(c)) if c else bytes([0]) + NO_CONFIGURATION
                self.send("CONFIGURATION", tag, payload)

    def probe(self, address):
        if not P.PROBE_ADDRESS_MIN <= address <= P.PROBE_ADDRESS_MAX:
            raise Refused(P.REJECT_RANGE, 0, P.PROBE_ADDRESS_MAX)
        require_rest(self)
        return address | (P.PROBED_ACKNOWLEDGED if address == DRIVER else 0)

    def state_bits(self):
        driving = self.actuator.value != 0 or self.actuator.state == P.ACTUATOR_CALIBRATING
        awake = self.actuator.state == P.ACTUATOR_AWAKE
        return self.actuator.muted | awake << 1 | driving << 2

    def status(self, now):
        sequence, type, code = self.last_reject
        return pack(
            "STATUS", state=self.state_bits(), fault_total=self.fault_total, faults=self.faults,
            damaged_frames=self.damaged & 0xFFFF, late_events=self.late_events & 0xFFFF, latest_us=self.latest,
            skipped_taps=self.skipped_taps & 0xFFFF, underruns=self.underruns & 0xFFFF,
            dead_man_trips=self.dead_man_trips & 0xFFFF, bus_errors=0, chip_resets=0,
            reject_sequence=sequence, reject_type=type, reject_code=code, rejects=self.rejects,
            gain=self.actuator.gain, clock=now & 0xFFFFFFFF, lost_bytes=0,
        )

    def stream(self):
        player = self.player
        return pack(
            "STREAM", stream=0, generation=player.newest().generation, state=player.state,
            actuators=self.stream_actuators, capacity=player.capacity,
            event_limit=player.event_limit() & 0xFFFF, start_time=player.start_time & 0xFFFFFFFF,
            position=player.position, revise_time=player.revise_time & 0xFFFFFFFF,
            events=player.executed & 0xFFFF,
        )

    def describe_actuator(self):
        c = self.actuator.configuration
        fields = dict.fromkeys(LAYOUTS["ACTUATOR"].names, 0)
        if c:
            fields |= {name: value for name, value in vars(c).items() if name in fields}
            fields |= {"level_bits": 7 if is_signed(c) else 8, "min_update": MIN_UPDATE_US}
            fields |= {"frequency_min": c.resonance, "frequency_max": c.resonance}
        fields |= {
            "actuator": 0, "state": self.actuator.state, "chip_id": 7,
            "calibration": self.actuator.calibrations, "locked": int(self.actuator.lock is not None),
        }
        return pack("ACTUATOR", **fields)

    # ---- Time ----

    def next_time(self):
        times = [self.actuator.next_time()]
        if self.actuator.state == P.ACTUATOR_AWAKE:
            times.append(self.player.next_time())
        if self.actuator.is_driven():
            times.append(self.last_frame + P.DEAD_MAN_US)
        if self.player.state == P.STREAM_DRY:
            times.append(self.player.dry_since + P.DRY_MAX_US)
        return min((time for time in times if time is not None), default=None)

    def advance(self, now):
        self.check_dead_man(now)
        self.actuator.advance(now)
        if self.actuator.state == P.ACTUATOR_AWAKE:
            for level in self.player.advance(now):
                self.write(level, now)
            self.write(self.player.shown, now)
        self.check_dry(now)
        self.move_actuator(now)
        self.gather_counts()
        self.tell(now)

    def check_dead_man(self, now):
        if self.actuator.is_driven() and now - self.last_frame >= P.DEAD_MAN_US:
            self.dead_man_trips += 1
            self.latch(P.FAULT_DEAD_MAN)
            self.close_stream(now)
            self.actuator.end_calibration(now, P.CALIBRATION_FAILED)

    def check_dry(self, now):
        player = self.player
        if player.state == P.STREAM_DRY and not player.revision and now - player.dry_since >= P.DRY_MAX_US:
            self.close_stream(now)

    def move_actuator(self, now):
        """Keeps the actuator awake while its stream may write a level."""
        player = self.player
        if player.state in (P.STREAM_PLAYING, P.STREAM_DRY) or player.revision or player.tap:
            self.actuator.wake()
        else:
            self.actuator.rest(now)
        self.actuator.advance(now)

    def write(self, level, now):
        value = self.actuator.register_value(level) if self.actuator.configuration else 0
        if value != self.actuator.value:
            self.actuator.count_heat(now)
            self.actuator.value = value
            self.levels.append((now, value))

    def latch(self, fault):
        self.faults |= fault
        self.fault_total = (self.fault_total + 1) & 0xFF

    def gather_counts(self):
        """Adds the counters of a player to the counters of the device, which remain after the player has ended."""
        player = self.player
        for bit in range(16):
            if player.faults >> bit & 1:
                self.latch(1 << bit)
        self.late_events += player.late_events
        self.skipped_taps += player.skipped_taps
        self.underruns += player.underruns
        self.latest = max(self.latest, player.latest)
        player.faults = player.late_events = player.skipped_taps = player.underruns = 0

    def tell(self, now):
        """Sends a notice of the stream when its state changes, and a notice of the device when its state or faults
        change."""
        status = (self.state_bits(), self.fault_total)
        stream = (self.player.state, self.player.newest().generation, self.player.revise_time)
        if self.reader.session and stream != self.told_stream:
            self.send("STREAM", 0, self.stream())
        if self.reader.session and status != self.told_status:
            self.send("STATUS", 0, self.status(now))
        self.told_status, self.told_stream = status, stream
        if self.player.state != P.STREAM_CLOSED and self.has_freed_a_quarter():
            self.send_ack(0)
