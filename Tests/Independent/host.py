#!/usr/bin/env python3
"""A host that plays one pattern on a port, and ends when the actuator is at rest: host.py PATH"""

import math
import os
import random
import select
import sys
import time
import tty

import events
from events import Event, encode_events
from player import FRACTION
from protocol import P, signed
from session import Session

CONNECT_S = 4
ANSWER_S = 2
CREDIT_S = 5
POLL_S = 0.005
# The interval at which the host checks whether an action has ended.
LOOK_S = 0.02
EVENTS_PER_FRAME = P.PAYLOAD_MAX - P.EVENTS_SIZE
NOMINAL_SCALE = P.TICK_US << FRACTION
START_DELAY_US = 20_000
QUALITY = 10  # a typical value for coin LRAs


class NoAnswer(Exception):
    """The exception that is raised if the device did not complete an action in time."""


class Rejected(Exception):
    """The exception that is raised if the device has rejected a message. The argument is the REJECT message."""


def lra_image(resonance_hz, rated_v, overdrive_v):
    """Returns the registers for an LRA in a closed loop, with the voltages in SPEC 8 and the settings in vectors/."""
    control2, sample_time_us = 0x75, 300
    root = (1 - (4 * sample_time_us + 300) * 1e-6 * resonance_hz) ** 0.5
    rated = int(rated_v * 1000 * root / 20.58 + 0.5)
    clamp = int(overdrive_v * 1000 / 21.22 + 0.125)
    half_period_us = 500_000 / resonance_hz
    drive_time = round((half_period_us - 500) / 100)
    return bytes([0, rated, clamp, 0x0C, 0x6C, 0xA6, 0x80 | drive_time, control2, 0x88, 0x30, 0x80, 0x3C])


def lra_configuration(resonance_hz=170, rated_v=2.5, overdrive_v=3.54):
    """Returns a configuration according to SPEC 8. The durations of taps are one period and four periods."""
    period_us = 1e6 / resonance_hz
    return {
        "kind": P.KIND_LRA, "locality": P.LOCALITY_DEFAULT, "resonance": round(resonance_hz * 10),
        "rated": round(rated_v * 1000), "overdrive": round(overdrive_v * 1000),
        "tap_dull": round(7 * period_us), "tap_sharp": round(period_us), "rise": 35, "brake": 29,
        "onset": 750, "curve_low": 0, "curve_mid": 128, "curve_high": 255, "level_max": 255,
        "calibration": P.CALIBRATION_NONE, "image": lra_image(resonance_hz, rated_v, overdrive_v),
        "sustained": 255, "budget": 0, "name": b"independent\0",
        "time_constant": round(1e4 * QUALITY / (math.pi * resonance_hz)), "acceleration": 1500,
        "start": 0, "running": 0,
    }


class Host:
    """A session on a port. Each call waits for the device's answer."""

    def __init__(self, path):
        self.port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.port)
        self.began = time.monotonic_ns()
        self.session = Session(random.randrange(1, 1 << 32))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.port)

    def now(self):
        return (time.monotonic_ns() - self.began) // 1000

    def step(self):
        """Transfers bytes in both directions. Waits briefly if there are no bytes."""
        output = self.session.take_output()
        if output:
            os.write(self.port, output)
        if select.select([self.port], [], [], POLL_S)[0]:
            self.session.receive(os.read(self.port, 4096), self.now())
        self.session.poll(self.now())

    def wait(self, condition, seconds, what):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise NoAnswer(what)
            self.step()

    def keep_alive(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.step()

    # ---- Requests ----

    def connect(self):
        self.session.connect(self.now())
        self.wait(lambda: self.session.welcome, CONNECT_S, "WELCOME")
        self.session.keeps_alive = True
        return self.session.welcome

    def command(self, message, /, tail=b"", **fields):
        """Sends a sequenced message, and waits until the device has executed it."""
        told = len(self.session.rejects)
        sequence = self.session.command(message, self.now(), tail=tail, **fields)
        self.wait(self.session.is_answered, ANSWER_S, f"ACK of {message}")
        for rejected, reject in self.session.rejects[told:]:
            if rejected == sequence and reject.type == getattr(P, message):
                raise Rejected(reject)

    def ask(self, name, **fields):
        tag = self.session.query(name, self.now(), **fields)
        self.wait(lambda: tag not in self.session.queries, ANSWER_S, f"answer to {name}")
        if tag not in self.session.answers:
            raise Rejected(self.session.rejects[-1][1])
        return self.session.answers.pop(tag)

    def stop(self):
        self.session.stop(self.now())
        self.wait(lambda: not self.session.urgent, ANSWER_S, "STOPPED")

    def mute(self, muted):
        self.session.mute(self.now(), muted)
        self.wait(lambda: not self.session.urgent, ANSWER_S, "MUTED")

    def wait_at_rest(self):
        def is_at_rest():
            self.keep_alive(LOOK_S)
            return self.ask("GET_ACTUATOR", actuator=0).state == P.ACTUATOR_AT_REST

        self.wait(is_at_rest, ANSWER_S, "an actuator at rest")

    def configure(self, **configuration):
        self.command("CONFIGURE", actuator=0, **configuration)
        self.wait_at_rest()

    # ---- Playing ----

    def send_events(self, data, first=0, generation=0, stream=0):
        """Sends as many event bytes of a generation, beginning at offset `first`, as the stream's credit permits."""
        for place in range(first, len(data), EVENTS_PER_FRAME):
            part = data[place : place + EVENTS_PER_FRAME]
            end = place + len(part)
            self.wait(lambda: self.has_credit(stream, generation, end), CREDIT_S, "credit for events")
            self.command("EVENTS", tail=part, stream=stream, generation=generation)

    def has_credit(self, stream, generation, total):
        known, limit = self.session.credits.get(stream, (None, 0))
        return known == generation and signed(limit - total, 16) >= 0

    def open_stream(self):
        self.command("OPEN", stream=0, actuators=1, memory=0)

    def start(self, delay_us=START_DELAY_US, stream=0):
        relative = {"flags": P.START_FLAG_RELATIVE, "time": delay_us}
        self.command("START", stream=stream, generation=0, scale=NOMINAL_SCALE, **relative)

    def wait_for_end(self, seconds):
        def has_ended():
            self.keep_alive(LOOK_S)
            return self.ask("GET_STREAM", stream=0).state == P.STREAM_ENDED

        self.wait(has_ended, seconds, "END")
        self.wait_at_rest()

    def play(self, pattern, seconds):
        """Fills the event memory, starts the stream, and sends the remaining bytes during the playback."""
        data = encode_events(pattern)
        self.open_stream()
        held = self.session.credits[0][1]
        self.send_events(data[:held])
        self.start()
        self.send_events(data, first=held)
        self.wait_for_end(seconds)


def ms(milliseconds):
    return round(milliseconds * 1000 / P.TICK_US)


# The pattern contains two taps, a rising and a falling ramp, a tap during the ramp, and a constant level.
PATTERN = [
    Event(ms(0), P.OP_TAP, (255, 128)),
    Event(ms(100), P.OP_TAP, (128, 255)),
    Event(ms(200), P.OP_LEVEL_RAMP, (200, ms(50))),
    Event(ms(280), P.OP_TAP, (250, 255)),
    Event(ms(300), P.OP_LEVEL_RAMP, (0, ms(50))),
    Event(ms(400), P.OP_LEVEL, (90,)),
    Event(ms(450), events.END, ()),
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with Host(sys.argv[1]) as host:
        host.connect()
        host.configure(**lra_configuration())
        host.play(PATTERN, 5)
        status = host.ask("GET_STATUS")
        print(f"played; faults {status.faults:04x}, at most {status.latest_us} us late")


if __name__ == "__main__":
    main()
