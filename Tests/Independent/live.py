"""Checks of host.py with every device, in real time."""

import time

import events
from boards import BOARDS, rendered
from events import Event, encode_events
from host import PATTERN, Host, Rejected, lra_configuration, ms
from protocol import P
from report import Skipped, expect, expect_equal, skip
from streams import decoded, stream

# The maximum deviation of an interval between two changes from the pattern, in real time on a busy computer.
TOLERANCE_US = 8_000
DEAD_MAN_TOLERANCE_US = 40_000
SEEDS = (0, 5, 6)
PLANT = ("time_constant", "acceleration", "start", "running")
HELD = [Event(0, P.OP_LEVEL, (200,)), Event(ms(4000), events.END, ())]


def lasting(levels):
    """Returns the levels that last for at least a millisecond. These levels exclude a step of a ramp just before an
    event."""
    following = [time for time, _ in levels[1:]] + [float("inf")]
    return [level for level, end in zip(levels, following) if end - level[0] > 1_000]


def expect_order(values, wanted, slack=0):
    """Checks the order of the values. Some of the wanted values may be missing, because the computer was late."""
    rest = iter(wanted)
    expect(
        all(any(abs(value - other) <= slack for other in rest) for value in values),
        f"{values} do not all occur in {wanted} in this order",
    )


def expect_levels(found, expected, was_late):
    """Checks all levels, their order and their times. If the computer was late, some levels may be missing."""
    values, wanted = [value for _, value in found], [value for _, value in expected]
    if was_late:
        expect_order(values, wanted)
    else:
        expect(values == wanted, f"{values} reached the register, not {wanted}")
        shift = found[0][0] - expected[0][0]
        worst = max(abs(a[0] - b[0] - shift) for a, b in zip(found, expected))
        expect(worst <= TOLERANCE_US, f"a level was {worst} us early or late")


def ends_of_ramps(levels):
    """Returns the levels without the inner steps of ramps. An inner step has the same direction as the step before and
    the step after, and the interval of the steps of a ramp."""
    step_us = 1.5 * P.RAMP_STEP_US
    inner = [
        (before[1] < level[1] < after[1] or before[1] > level[1] > after[1])
        and max(level[0] - before[0], after[0] - level[0]) < step_us
        for before, level, after in zip(levels, levels[1:], levels[2:])
    ]
    return [level for level, is_inner in zip(levels, [False, *inner, False]) if not is_inner]


def expect_adapted_levels(found, expected, was_late):
    """Checks the levels of a host that adapts the scale to its clock by at most 1 %. The more the computer delays host
    and device, the more the host adapts the scale. The number of steps of a ramp and the levels of these steps depend
    on the scale; the ends of ramps and all other levels do not."""
    if was_late:
        expect_order([value for _, value in found], [value for _, value in expected], slack=1)
        return
    found, expected = ends_of_ramps(lasting(found)), ends_of_ramps(lasting(expected))
    values, wanted = [value for _, value in found], [value for _, value in expected]
    fits = len(values) == len(wanted) and all(abs(a - b) <= 1 for a, b in zip(values, wanted))
    expect(fits, f"{values} reached the register, not {wanted}")
    for a, b in zip(zip(found, found[1:]), zip(expected, expected[1:])):
        lasted, right = a[1][0] - a[0][0], b[1][0] - b[0][0]
        expect(abs(lasted - right) <= TOLERANCE_US + right / 100, f"a level lasted {lasted} us, not {right} us")


class Conversation:
    """One board, and a host that runs several checks on the board."""

    def __init__(self, board, host):
        self.board, self.host = board, host
        self.seen = 0

    def from_rest(self, step):
        """Closes the streams that the previous check has left open, and runs a check."""
        def check():
            self.host.session.keeps_alive = True
            self.host.stop()
            self.host.keep_alive(0.05)
            self.new_levels()
            getattr(self, f"check_{step}")()

        return check

    def new_levels(self):
        levels = self.board.levels()
        new, self.seen = levels[self.seen :], len(levels)
        return new

    def begin(self, data):
        self.new_levels()
        self.host.open_stream()
        self.host.send_events(data)
        self.host.start()

    def check_configure(self):
        wanted = {**lra_configuration(), "name": b"independent".ljust(P.NAME_SIZE, b"\0")}
        self.host.configure(**wanted)
        answer = vars(self.host.ask("GET_CONFIGURATION", actuator=0))
        for field in ("kind", "rated", "overdrive", "tap_dull", "image", "name", *PLANT):
            expect_equal(answer[field], wanted[field], field)
        expect_equal(self.host.ask("GET_ACTUATOR", actuator=0).level_bits, 8, "level_bits")

    def check_older_host(self):
        """Checks a message from an older host, which omits the plant model. The device treats the missing values as
        0."""
        self.host.configure(**lra_configuration())
        self.host.configure(size=P.CONFIGURE_SIZE_MIN, **lra_configuration())
        answer = vars(self.host.ask("GET_CONFIGURATION", actuator=0))
        expect_equal(answer["name"], lra_configuration()["name"], "name")
        for field in PLANT:
            expect_equal(answer[field], 0, field)

    def check_pattern(self):
        self.new_levels()
        self.host.play(PATTERN, 5)
        late = self.host.ask("GET_STATUS").late_events
        expect_levels(self.new_levels(), rendered(encode_events(PATTERN)), late)
        stream = self.host.ask("GET_STREAM", stream=0)
        expect_equal(stream.events, len(PATTERN), "the number of executed events")
        expect_equal(stream.position, PATTERN[-1].tick, "the stream's position")

    def check_long_pattern(self):
        """Sends more bytes than the event memory can store, so that the device must grant credit during the
        playback."""
        pattern = [Event(ms(5) * n, P.OP_LEVEL, (100 + n % 2,)) for n in range(300)]
        pattern.append(Event(ms(1500), events.END, ()))
        self.new_levels()
        self.host.play(pattern, 5)
        status = self.host.ask("GET_STATUS")
        expect_equal(status.underruns, 0, "the number of underruns")
        expect_levels(self.new_levels(), rendered(encode_events(pattern)), status.late_events)

    def check_revise(self):
        self.begin(encode_events(HELD))
        stream = self.host.ask("GET_STREAM", stream=0)
        at = (stream.start_time + 150_000) & 0xFFFFFFFF
        end = encode_events([Event(ms(50), events.END, ())])
        self.host.command("REVISE", tail=end, stream=0, generation=1, time=at, level=50, sharpness=0)
        self.host.wait_for_end(3)
        expect_levels(self.new_levels(), [(0, 200), (150_000, 50), (200_000, 0)], False)
        expect_equal(self.host.ask("GET_STREAM", stream=0).revise_time, at, "revise_time")

    def check_event_code(self):
        """Checks that the board decodes and renders random event code in the same way as device.py."""
        for seed in SEEDS:
            data = stream(seed)
            before = self.host.ask("GET_STATUS").late_events
            self.begin(data)
            self.host.wait_for_end(5)
            executed = self.host.ask("GET_STREAM", stream=0)
            wanted = decoded(data)
            expect_equal(executed.events, len(wanted), f"the number of events of seed {seed}")
            expect_equal(executed.position, wanted[-1].tick, f"the position of seed {seed}")
            late = self.host.ask("GET_STATUS").late_events - before
            expect_levels(self.new_levels(), rendered(data), late)

    def check_gain_and_mute(self):
        self.begin(encode_events(HELD))
        self.host.keep_alive(0.1)
        self.host.command("GAIN", actuators=1, gain=128)
        self.host.keep_alive(0.05)
        self.host.mute(True)
        self.host.keep_alive(0.05)
        self.host.mute(False)
        self.host.keep_alive(0.05)
        self.host.stop()
        self.host.command("GAIN", actuators=1, gain=255)
        self.host.wait_at_rest()
        expect_equal([value for _, value in self.new_levels()], [200, 100, 0, 100, 0], "the levels")

    def check_probe(self):
        """Checks that exactly one chip is on the bus."""
        self.host.wait_at_rest()
        addresses = range(P.PROBE_ADDRESS_MIN, P.PROBE_ADDRESS_MAX + 1)
        probed = [self.host.ask("PROBE", address=address).address for address in addresses]
        found = [byte for byte in probed if byte & P.PROBED_ACKNOWLEDGED]
        expect_equal(found, [P.PROBED_ACKNOWLEDGED | 0x5A], "the chips on the bus")
        block = self.host.ask("GET_FIRMWARE", block=0xFFFF)
        expect_equal((block.block, block.tail), (0xFFFF, b""), "the block after the image")

    def check_stop(self):
        self.begin(encode_events(HELD))
        self.host.keep_alive(0.15)
        self.host.stop()
        expect_equal(self.host.ask("GET_STREAM", stream=0).state, P.STREAM_CLOSED, "the stream's state")
        self.host.wait_at_rest()
        expect_equal([value for _, value in self.new_levels()], [200, 0], "the levels")

    def check_underrun(self):
        """Checks that the level becomes 0 when the stream runs out, and that the playback continues with the next
        events and then ends."""
        before = self.host.ask("GET_STATUS").underruns
        self.begin(encode_events([Event(0, P.OP_LEVEL_RAMP, (80, 0)), Event(ms(60), events.WAIT, ())]))
        self.host.keep_alive(0.15)
        expect_equal(self.host.ask("GET_STREAM", stream=0).state, P.STREAM_DRY, "the stream's state")
        expect_equal(self.host.ask("GET_STATUS").underruns - before, 1, "the number of underruns")
        end = encode_events([Event(ms(300), events.END, ())])
        self.host.command("EVENTS", tail=end, stream=0, generation=0)
        self.host.wait_for_end(3)
        levels = self.new_levels()
        expect_equal([value for _, value in levels], [80, 0, 80, 0], "the levels")
        expect_levels(levels[::3], [(0, 80), (360_000, 0)], False)

    def check_damage(self):
        """Checks that the host sends a damaged frame again and the device executes it once."""
        before = self.host.ask("GET_STATUS").damaged_frames
        session = self.host.session
        session.command("GAIN", self.host.now(), actuators=1, gain=77)
        session.output[3] ^= 0x40
        session.command("CLEAR_FAULTS", self.host.now(), faults=0xFFFF, fault_total=0)
        self.host.wait(lambda: not session.unanswered, 2, "ACK of both frames")
        status = self.host.ask("GET_STATUS")
        expect_equal(status.gain, 77, "the gain")
        expect_equal(status.damaged_frames - before, 1, "the number of damaged frames")
        granted = (session.link_limit - session.link_total) & 0xFFFF
        expect_equal(granted, session.welcome.link_window, "the remaining link credit")
        self.host.command("GAIN", actuators=1, gain=255)

    def check_rejects(self):
        for message, fields, code, offset, limit in REJECTS:
            try:
                self.host.command(message, **fields)
            except Rejected as rejected:
                reject = rejected.args[0]
                found = (reject.code, reject.offset, reject.limit if limit is not None else None)
                expect_equal(found, (code, offset, limit), f"REJECT of {message}")
            else:
                expect(False, f"{message} with {fields} was not rejected")

    def check_dead_man(self):
        self.begin(encode_events(HELD))
        self.host.keep_alive(0.1)
        self.host.session.keeps_alive = False
        silent = time.monotonic()
        before = self.host.ask("GET_STATUS")
        while time.monotonic() < silent + 0.4:
            time.sleep(0.01)
        self.host.session.keeps_alive = True
        after = self.host.ask("GET_STATUS")
        expect_equal(after.dead_man_trips - before.dead_man_trips, 1, "the number of trips")
        expect(after.faults & P.FAULT_DEAD_MAN, "the fault is not latched")
        levels = self.new_levels()
        expect_equal([value for _, value in levels], [200, 0], "the levels")
        lasted = levels[1][0] - levels[0][0]
        least = P.DEAD_MAN_US
        expect(least <= lasted <= least + 100_000 + DEAD_MAN_TOLERANCE_US, f"the actuator was driven for {lasted} us")

    def check_new_session(self):
        """Checks that a HELLO with a new id ends the playback."""
        self.begin(encode_events(HELD))
        self.host.keep_alive(0.1)
        with Host(self.board.path) as other:
            other.connect()
            expect_equal(other.ask("GET_STREAM", stream=0).state, P.STREAM_CLOSED, "the stream's state")
            other.wait_at_rest()
        expect_equal([value for _, value in self.new_levels()], [200, 0], "the levels")


BAD_IMAGE = {**lra_configuration(), "rated": 1000}
BURNING = {**lra_configuration(), "image": lra_configuration()["image"][:9] + b"\x31\x80\x3c"}
START = {"stream": 0, "generation": 0, "flags": 1, "time": 0, "scale": 1 << 32 - 3}
# Each entry is a message, its fields, and the code, offset and limit of its REJECT. If the limit is None, any limit is
# permitted.
REJECTS = [
    ("CLOSE", {"stream": 9}, P.REJECT_NO_STREAM, 0, 0),
    ("START", START, P.REJECT_NO_STREAM, 0, 0),
    ("OPEN", {"stream": 0, "actuators": 0x8000, "memory": 0}, P.REJECT_NO_ACTUATOR, 1, 1),
    ("OPEN", {"stream": 0, "actuators": 1, "memory": 31}, P.REJECT_MEMORY, 3, 32),
    ("GAIN", {"actuators": 0x0100, "gain": 1}, P.REJECT_NO_ACTUATOR, 0, 1),
    ("CALIBRATE", {"actuator": 7}, P.REJECT_NO_ACTUATOR, 0, 0),
    ("CONFIGURE", {"actuator": 0, **BURNING}, P.REJECT_RANGE, 31, None),
    ("CONFIGURE", {"actuator": 0, **BAD_IMAGE}, P.REJECT_LIMIT, 23, 42),
    ("CONFIGURE", {"actuator": 0, **lra_configuration(), "overdrive": 6000}, P.REJECT_LIMIT, 7, 5600),
    ("CONFIGURE", {"actuator": 0, **lra_configuration(), "brake": 9}, P.REJECT_LIMIT, 14, 10),
    ("CONFIGURE", {"actuator": 0, **lra_configuration(), "sustained": 15}, P.REJECT_LIMIT, 34, 16),
    ("CONFIGURE", {"actuator": 0, **lra_configuration(), "size": 48}, P.REJECT_LENGTH, 48, 49),
]

STEPS = [
    "configure", "older_host", "probe", "rejects", "pattern", "long_pattern", "event_code", "revise", "gain_and_mute",
    "stop", "underrun", "damage", "dead_man", "new_session",
]


def host_checks():
    """Yields the checks of each board, and starts each board once. The generator keeps the board running until the
    board's last check has ended."""
    for name, make in BOARDS.items():
        try:
            with make() as board, Host(board.path) as host:
                host.connect()
                conversation = Conversation(board, host)
                for step in STEPS:
                    yield f"host.py at {name}: {step.replace('_', ' ')}", conversation.from_rest(step)
        except Skipped as reason:
            yield f"host.py at {name}", skip(reason)


